/* SPDX-License-Identifier: MIT */
/* Requests to ClickHouse, by libcurl. */
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "store/answer.h"
#include "store/clickhouse.h"

#define TURN_NS      (NS_PER_SECOND / 20) /* between looks whether to stop waiting */
#define CONNECT_MS   10000L
#define REQUEST_S    300u
#define ANSWER_BYTES (UINT64_C(16) << 30)
#define REASON_BYTES 2048  /* of a message of the server that are kept */
#define SQL_BYTES    12000 /* old servers take 16 KiB in a URL */
#define SQL_SHOWN    "12000 bytes"

struct clickhouse {
    CURL *curl;
    CURLU *base;
    struct clickhouse_url url;
    struct clickhouse_limits limits;
    uint64_t sent_bytes; /* with heads */
    uint64_t next_ns;    /* when more may be sent, by bytes_per_s */
};

/* A request on its way. */
struct request {
    struct clickhouse *clickhouse;
    struct answer *answer; /* of a query, or NULL */
    struct buffer reason;  /* what the server says if it refuses */
    uint64_t received;
    int exception; /* the server's number of it, 0: none */
    int result;    /* of reading the answer */
    struct tally_error *error;
};

const char *clickhouse_missing(void)
{
    return NULL;
}

const char *clickhouse_name(const struct clickhouse *clickhouse)
{
    return clickhouse->url.shown;
}

uint64_t clickhouse_sent_bytes(const struct clickhouse *clickhouse)
{
    return clickhouse->sent_bytes;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The user and the password are those of the URL, of the environment, or of ~/.netrc. */
static void set_user(struct clickhouse *clickhouse)
{
    const struct clickhouse_url *url = &clickhouse->url;
    const char *user = getenv("TALLY_CLICKHOUSE_USER");
    const char *password = getenv("TALLY_CLICKHOUSE_PASSWORD");
    const char *file = getenv("TALLY_CLICKHOUSE_NETRC");
    user = *url->user ? url->user : user;
    password = url->has_password ? url->password : password;
    curl_easy_setopt(clickhouse->curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    if (file && *file)
        curl_easy_setopt(clickhouse->curl, CURLOPT_NETRC_FILE, file);
    if (user && *user)
        curl_easy_setopt(clickhouse->curl, CURLOPT_USERNAME, user);
    if (password)
        curl_easy_setopt(clickhouse->curl, CURLOPT_PASSWORD, password);
    if (password && !(user && *user))
        curl_easy_setopt(clickhouse->curl, CURLOPT_USERNAME, "default");
}

static void set_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* also that of the environment */
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
}

int clickhouse_open(const struct clickhouse_url *url, const struct clickhouse_limits *limits,
                    struct clickhouse **out, struct tally_error *error)
{
    char port[16], host[CLICKHOUSE_NAME_BYTES + 2];
    struct clickhouse *clickhouse = calloc(1, sizeof *clickhouse);
    if (clickhouse)
        *clickhouse = (struct clickhouse){
            .url = *url, .limits = limits ? *limits : (struct clickhouse_limits){0}};
    if (!clickhouse || curl_global_init(CURL_GLOBAL_DEFAULT) ||
        !(clickhouse->curl = curl_easy_init()) || !(clickhouse->base = curl_url())) {
        clickhouse_close(clickhouse);
        return fail_memory(error, "a connection");
    }
    snprintf(port, sizeof port, "%u", url->port);
    snprintf(host, sizeof host, strchr(url->host, ':') ? "[%s]" : "%s", url->host);
    if (curl_url_set(clickhouse->base, CURLUPART_SCHEME, url->tls ? "https" : "http", 0) ||
        curl_url_set(clickhouse->base, CURLUPART_HOST, host, 0) ||
        curl_url_set(clickhouse->base, CURLUPART_PORT, port, 0) ||
        curl_url_set(clickhouse->base, CURLUPART_PATH, "/", 0)) {
        clickhouse_close(clickhouse);
        return fail(error, -ENOENT, "%s: not a URL", url->shown);
    }
    clickhouse->limits.request_s =
        clickhouse->limits.request_s ? clickhouse->limits.request_s : REQUEST_S;
    if (!clickhouse->limits.answer_bytes)
        clickhouse->limits.answer_bytes = ANSWER_BYTES;
    *out = clickhouse;
    return 0;
}

void clickhouse_close(struct clickhouse *clickhouse)
{
    if (!clickhouse)
        return;
    curl_url_cleanup(clickhouse->base);
    curl_easy_cleanup(clickhouse->curl);
    explicit_bzero(&clickhouse->url, sizeof clickhouse->url);
    free(clickhouse);
}

/* ---- what the server says -------------------------------------------------------------------- */

/* Finds the number of "Code: 62, e.displayText() = ..." or "Code: 62. DB::Exception: ...". */
static int number_of(const char *reason)
{
    const char *mark = "Code: ";
    return !strncmp(reason, mark, strlen(mark)) ? atoi(reason + strlen(mark)) : 0;
}

/* The server's exceptions that have errors of their own; all others are -EIO. */
static int errno_of(int exception)
{
    static const struct {
        int exception, error;
    } rows[] = {
        {62, EINVAL},  /* SYNTAX_ERROR */
        {47, EINVAL},  /* UNKNOWN_IDENTIFIER */
        {46, EINVAL},  /* UNKNOWN_FUNCTION */
        {16, EINVAL},  /* NO_SUCH_COLUMN_IN_TABLE */
        {60, EINVAL},  /* UNKNOWN_TABLE */
        {42, EINVAL},  /* NUMBER_OF_ARGUMENTS_DOESNT_MATCH */
        {43, EINVAL},  /* ILLEGAL_TYPE_OF_ARGUMENT */
        {53, EINVAL},  /* TYPE_MISMATCH */
        {164, EPERM},  /* READONLY */
        {192, EACCES}, /* UNKNOWN_USER */
        {193, EACCES}, /* WRONG_PASSWORD */
        {194, EACCES}, /* REQUIRED_PASSWORD */
        {195, EACCES}, /* IP_ADDRESS_NOT_ALLOWED */
        {291, EACCES}, /* DATABASE_ACCESS_DENIED */
        {497, EACCES}, /* ACCESS_DENIED */
        {516, EACCES}, /* AUTHENTICATION_FAILED */
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].exception == exception)
            return -rows[i].error;
    return -EIO;
}

/* Shortens the message of an exception: its first line, without a stack trace. */
static void trim(char *reason)
{
    static const char *const ends[] = {"\n", "Stack trace:", ", e.what()"};
    for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
        char *end = strstr(reason, ends[i]);
        if (end)
            *end = '\0';
    }
}

static int fail_refused(const struct request *request, long status, struct tally_error *error)
{
    const char *name = request->clickhouse->url.shown;
    char *reason = request->reason.bytes ? request->reason.bytes : (char[]){""};
    int exception = request->exception ? request->exception : number_of(reason);
    if (status / 100 == 3)
        return fail(error, -EBADMSG,
                    "%s: status %ld, a redirection, expected a server of ClickHouse", name, status);
    if (status == 401 || status == 403)
        return fail(error, -EACCES, "%s: wrong user or password (see docs/fleet.md)", name);
    trim(reason);
    if (exception)
        return fail(error, errno_of(exception), "%s: %s", name,
                    *reason ? reason : "the server failed");
    return fail(error, status / 100 == 5 ? -EIO : -EBADMSG, "%s: status %ld%s%.200s", name, status,
                *reason ? ": " : "", reason);
}

/* ---- a request ------------------------------------------------------------------------------- */

static size_t on_header(char *bytes, size_t size, size_t count, void *closure)
{
    static const char mark[] = "X-ClickHouse-Exception-Code:";
    struct request *request = closure;
    size_t total = size * count;
    if (total > sizeof mark && total < 80 && !strncasecmp(bytes, mark, strlen(mark))) {
        char text[81];
        memcpy(text, bytes, total);
        text[total] = '\0';
        request->exception = atoi(text + strlen(mark));
    }
    return total;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *closure)
{
    struct request *request = closure;
    struct clickhouse *clickhouse = request->clickhouse;
    size_t total = size * count;
    long status = 0;
    curl_easy_getinfo(clickhouse->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || request->exception || !request->answer) {
        size_t kept = min_size(total, REASON_BYTES - request->reason.size);
        buffer_append(&request->reason, bytes, kept);
        return status == 200 || kept == total ? total : CURL_WRITEFUNC_ERROR;
    }
    request->received += total;
    if (request->received > clickhouse->limits.answer_bytes)
        request->result = fail(request->error, -EFBIG, "the answer has more than %" PRIu64 " bytes",
                               clickhouse->limits.answer_bytes);
    else
        request->result = answer_add(request->answer, bytes, total, request->error);
    return request->result ? CURL_WRITEFUNC_ERROR : total;
}

/* Makes the URL of a request, which the caller frees with curl_free(). */
static char *make_url(struct clickhouse *clickhouse, const char *const *parameters)
{
    char *url = NULL;
    CURLU *made = curl_url_dup(clickhouse->base);
    int failed = !made;
    for (size_t i = 0; !failed && parameters[i]; i++)
        failed = curl_url_set(made, CURLUPART_QUERY, parameters[i],
                              CURLU_APPENDQUERY | CURLU_URLENCODE) != CURLUE_OK;
    if (!failed && curl_url_get(made, CURLUPART_URL, &url, 0) != CURLUE_OK)
        url = NULL;
    curl_url_cleanup(made);
    return url;
}

static int fail_transfer(const struct request *request, CURLcode code, const char *text,
                         struct tally_error *error)
{
    const char *name = request->clickhouse->url.shown;
    const char *reason = *text ? text : curl_easy_strerror(code);
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return fail(error, -ECANCELED, "%s: ended before everything was sent", name);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fail(error, -ETIMEDOUT, "%s: no answer in time: %s", name, reason);
    if (code == CURLE_OUT_OF_MEMORY)
        return fail_memory(error, "a request");
    if (code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR)
        return fail(error, -EIO, "%s: the answer is not complete: %s", name, reason);
    if (code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_UNSUPPORTED_PROTOCOL ||
        code == CURLE_HTTP2 || code == CURLE_BAD_CONTENT_ENCODING)
        return fail(error, -EBADMSG, "%s: not an HTTP answer: %s", name, reason);
    return fail(error, -EIO, "%s: cannot reach the server: %s", name, reason);
}

static bool is_cancelled(const struct clickhouse *clickhouse)
{
    return clickhouse->limits.cancelled && atomic_load(clickhouse->limits.cancelled);
}

static int on_progress(void *closure, curl_off_t total, curl_off_t now, curl_off_t upload_total,
                       curl_off_t uploaded)
{
    (void)total, (void)now, (void)upload_total, (void)uploaded;
    return is_cancelled(closure);
}

/* Waits until what was sent before is within the limit: curl limits each request by itself. */
static void wait_for_turn(const struct clickhouse *clickhouse)
{
    uint64_t now_ns;
    while (clickhouse->limits.bytes_per_s && !is_cancelled(clickhouse) &&
           (now_ns = clock_ns(CLOCK_MONOTONIC)) < clickhouse->next_ns) {
        uint64_t left_ns = clickhouse->next_ns - now_ns;
        const struct timespec step = timespec_of_ns(left_ns < TURN_NS ? left_ns : TURN_NS);
        nanosleep(&step, NULL);
    }
}

static void count_sent(struct clickhouse *clickhouse, uint64_t began_ns)
{
    curl_off_t body = 0;
    long head = 0;
    curl_easy_getinfo(clickhouse->curl, CURLINFO_SIZE_UPLOAD_T, &body);
    curl_easy_getinfo(clickhouse->curl, CURLINFO_REQUEST_SIZE, &head);
    uint64_t bytes = (uint64_t)(body > 0 ? body : 0) + (uint64_t)(head > 0 ? head : 0);
    uint64_t rate = clickhouse->limits.bytes_per_s;
    clickhouse->sent_bytes += bytes;
    if (!rate)
        return;
    /* The time that the bytes may take, from when the last ones were done. */
    if (clickhouse->next_ns + NS_PER_SECOND < began_ns) /* unused time does not add up */
        clickhouse->next_ns = began_ns;
    clickhouse->next_ns += scale_u64(bytes, NS_PER_SECOND, rate);
}

/* Sends a request and reads its answer. `body` is NULL for one that only reads. */
static int run(struct clickhouse *clickhouse, const char *const *parameters,
               const struct buffer *body, struct answer *answer, struct tally_error *error)
{
    char text[CURL_ERROR_SIZE] = "";
    CURL *curl = clickhouse->curl;
    struct request request = {.clickhouse = clickhouse, .answer = answer, .error = error};
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    char *url = make_url(clickhouse, parameters);
    long status = 0;
    if (!url || !headers) {
        curl_free(url);
        curl_slist_free_all(headers);
        return fail_memory(error, "a request");
    }
    curl_easy_reset(curl);
    set_protocols(curl);
    set_user(clickhouse);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)clickhouse->limits.request_s);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &request);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &request);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, clickhouse);
    if (body) {
        curl_easy_setopt(curl, CURLOPT_POST, 1L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->bytes ? body->bytes : "");
        if (clickhouse->limits.bytes_per_s) {
            curl_easy_setopt(curl, CURLOPT_MAX_SEND_SPEED_LARGE,
                             (curl_off_t)clickhouse->limits.bytes_per_s);
            curl_easy_setopt(curl, CURLOPT_TIMEOUT, 0L);
            curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
            curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)clickhouse->limits.request_s);
        }
    }
    wait_for_turn(clickhouse);
    uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
    CURLcode code = curl_easy_perform(curl);
    count_sent(clickhouse, began_ns);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    buffer_append(&request.reason, "", 1);
    int result = request.result;
    if (result)
        result = result < 0 && error->code == result ? fail_in(error, "%s", clickhouse->url.shown)
                                                     : result;
    else if (status && (status != 200 || request.exception))
        result = fail_refused(&request, status, error);
    else if (code)
        result = fail_transfer(&request, code, text, error);
    buffer_fini(&request.reason);
    curl_free(url);
    curl_slist_free_all(headers);
    return result;
}

/* ---- queries --------------------------------------------------------------------------------- */

static int set_parameter(struct buffer *to, const char *name, const char *value)
{
    to->size = 0;
    buffer_printf(to, "%s=%s", name, value);
    buffer_append(to, "", 1);
    return to->broken ? -ENOMEM : 0;
}

int clickhouse_query(struct clickhouse *clickhouse, const char *sql,
                     const struct store_query *query, struct tally_error *error)
{
    struct buffer database = {0}, statement = {0}, time = {0};
    struct answer answer;
    char seconds[24];
    int result = 0;
    if (!sql[strspn(sql, " \t\r\n;")])
        return fail(error, -EINVAL, "query: no statement, expected SELECT ...");
    if (strlen(sql) > SQL_BYTES)
        return fail(error, -EINVAL, "query: a statement of %zu bytes, expected at most " SQL_SHOWN,
                    strlen(sql));
    snprintf(seconds, sizeof seconds, "%u", clickhouse->limits.request_s);
    if (set_parameter(&database, "database", clickhouse->url.database) ||
        set_parameter(&statement, "query", sql) ||
        set_parameter(&time, "max_execution_time", seconds))
        result = fail_memory(error, "a query");
    /* GET only reads. The server sends nothing before all shards have answered. */
    const char *const parameters[] = {database.bytes,
                                      statement.bytes,
                                      time.bytes,
                                      "default_format=TabSeparatedWithNamesAndTypes",
                                      "wait_end_of_query=1",
                                      "skip_unavailable_shards=0",
                                      "join_use_nulls=1",
                                      "join_default_strictness=ALL",
                                      "distributed_product_mode=global",
                                      "enable_optimize_predicate_expression=1",
                                      NULL};
    answer_init(&answer, query);
    if (!result)
        result = run(clickhouse, parameters, NULL, &answer, error);
    if (!result && (result = answer_end(&answer, error)) < 0)
        fail_in(error, "%s", clickhouse->url.shown);
    answer_fini(&answer);
    buffer_fini(&database);
    buffer_fini(&statement);
    buffer_fini(&time);
    return result;
}

struct wanted_integer {
    int64_t value;
    int rows;
};

static int begin_integer(void *closure, const char *const *names, size_t count)
{
    (void)closure, (void)names;
    return count == 1 ? 0 : 1;
}

static int take_integer(void *closure, const struct store_value *values, size_t count)
{
    struct wanted_integer *wanted = closure;
    (void)count; /* 1 */
    if (wanted->rows++ || values->type != STORE_INTEGER)
        return 1;
    wanted->value = values->integer;
    return 0;
}

int clickhouse_get(struct clickhouse *clickhouse, const char *sql, int64_t *value,
                   struct tally_error *error)
{
    struct wanted_integer wanted = {0};
    const struct store_query query = {begin_integer, take_integer, &wanted};
    int result = clickhouse_query(clickhouse, sql, &query, error);
    if (result > 0)
        return fail(error, -EBADMSG, "%s: the answer to \"%s\" is not one integer",
                    clickhouse->url.shown, sql);
    *value = wanted.value;
    return result ? result : wanted.rows;
}

int clickhouse_insert(struct clickhouse *clickhouse, const char *sql, const struct buffer *rows,
                      struct tally_error *error)
{
    struct buffer database = {0}, statement = {0};
    int result = 0;
    if (set_parameter(&database, "database", clickhouse->url.database) ||
        set_parameter(&statement, "query", sql))
        result = fail_memory(error, "a statement");
    /* Sync: the rows are on their shard when the server answers. */
    const char *const parameters[] = {database.bytes, statement.bytes, "wait_end_of_query=1",
                                      "insert_distributed_sync=1", NULL};
    if (!result)
        result = run(clickhouse, parameters, rows, NULL, error);
    buffer_fini(&database);
    buffer_fini(&statement);
    return result;
}
