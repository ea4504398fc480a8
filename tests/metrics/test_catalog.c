/* SPDX-License-Identifier: MIT */
/* The directories that are searched for sets, their order, and the set that is found. */
#include "metrics/tests.h"

/* ---- temporary directories ----------------------------------------------------------------- */

static char root[64];

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", root, name);
}

static void make_directory(const char *name)
{
    char path[256];
    path_of(path, sizeof path, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
}

static void make_file(const char *name, const char *text)
{
    char path[256];
    path_of(path, sizeof path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Writes a file with one set, whose name identifies the file. */
static void make_set(const char *name, const char *chipset, const char *symbol, const char *uuid)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n<metrics>\n<set name=\"%s\" chipset=\"%s\" "
             "symbol_name=\"%s\" hw_config_guid=\"%s\"/></metrics>",
             name, chipset, symbol, uuid);
    make_file(name, text);
}

static void remove_tree(const char *directory)
{
    char path[512];
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%.200s/%.255s", directory, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(path) < 0)
            remove_tree(path);
    }
    if (dir)
        closedir(dir);
    rmdir(directory);
}

/* Every directory variable names an empty directory below the temporary one. */
static int set_up(void **state)
{
    char path[256];
    (void)state;
    strcpy(root, "/tmp/tally-test-XXXXXX");
    assert_non_null(mkdtemp(root));
    path_of(path, sizeof path, "home");
    setenv("HOME", path, 1);
    path_of(path, sizeof path, "nothing");
    setenv("XDG_DATA_HOME", path, 1);
    setenv("XDG_DATA_DIRS", path, 1);
    unsetenv("TALLY_METRICS_PATH");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_tree(root);
    return 0;
}

static void set_list(const char *variable, const char *first, const char *second)
{
    char list[600];
    snprintf(list, sizeof list, "%s/%s:/nonexistent::%s/%s", root, first, root, second);
    setenv(variable, list, 1);
}

/* Returns the name of the file whose set is found, or the number of the error. */
static const char *found(struct tally_catalog *catalog, const char *chipset, const char *uuid,
                         const char *symbol)
{
    static char text[320];
    const struct tally_metric_set *set = NULL;
    struct tally_error error = {0};
    int result = tally_catalog_find(catalog, chipset, uuid, symbol, &set, &error);
    if (result < 0)
        snprintf(text, sizeof text, "%d: %s", result, error.message);
    return result < 0 ? text : set->name;
}

/* ---- order --------------------------------------------------------------------------------- */

static void test_order_of_directories(void **state)
{
    (void)state;
    static const char *const places[] = {"given",
                                         "path1",
                                         "path2",
                                         "datahome/tally/metrics",
                                         "dirs1/tally/metrics",
                                         "dirs2/tally/metrics"};
    char path[256];
    for (size_t i = 0; i < COUNT(places); i++) {
        char name[64];
        make_directory(places[i]);
        snprintf(name, sizeof name, "%s/set.xml", places[i]);
        make_set(name, "TSTGT2", "Everywhere", UUID);
    }
    make_directory("home/.local/share/tally/metrics");
    make_set("home/.local/share/tally/metrics/set.xml", "TSTGT2", "Everywhere", UUID);
    set_list("TALLY_METRICS_PATH", "path1", "path2");
    path_of(path, sizeof path, "datahome");
    setenv("XDG_DATA_HOME", path, 1);
    set_list("XDG_DATA_DIRS", "dirs1", "dirs2");

    path_of(path, sizeof path, "given");
    struct tally_catalog *catalog = tally_catalog_new(path);
    const char *const *directories;
    assert_non_null(catalog);
    assert_true(tally_catalog_directories(catalog, &directories) >= COUNT(places));
    for (size_t i = 0; i < COUNT(places); i++) {
        path_of(path, sizeof path, places[i]);
        assert_string_equal(directories[i], path);
    }
    /* All of them, in that order, and not $HOME's, since XDG_DATA_HOME is set. */
    const struct tally_metric_set *const *sets;
    struct tally_error error = {0};
    assert_int_equal(tally_catalog_sets(catalog, "TSTGT2", &sets, &error), COUNT(places));
    for (size_t i = 0; i < COUNT(places); i++) {
        snprintf(path, sizeof path, "%s/set.xml", places[i]);
        assert_string_equal(sets[i]->name, path);
    }
    tally_catalog_free(catalog);

    /* The first directory that has the set wins: removes them one after the other. */
    for (size_t i = 0; i < COUNT(places); i++) {
        char given[256], name[128], expected[128];
        path_of(given, sizeof given, "given");
        catalog = tally_catalog_new(given);
        snprintf(expected, sizeof expected, "%s/set.xml", places[i]);
        ROW(__LINE__, !strcmp(found(catalog, "TSTGT2", NULL, "Everywhere"), expected),
            "%s instead of %s", found(catalog, "TSTGT2", NULL, "Everywhere"), expected);
        tally_catalog_free(catalog);
        snprintf(name, sizeof name, "%s/%s/set.xml", root, places[i]);
        assert_int_equal(unlink(name), 0);
    }
    ROWS_DONE();
}

static void test_home_where_xdg_is_not_set(void **state)
{
    (void)state;
    static const char *const values[] = {NULL, ""};
    make_directory("home/.local/share/tally/metrics");
    make_set("home/.local/share/tally/metrics/a.xml", "TST", "Home", UUID);
    for (size_t i = 0; i < COUNT(values); i++) {
        if (values[i])
            setenv("XDG_DATA_HOME", values[i], 1);
        else
            unsetenv("XDG_DATA_HOME");
        struct tally_catalog *catalog = tally_catalog_new(NULL);
        assert_string_equal(found(catalog, "TST", NULL, "Home"),
                            "home/.local/share/tally/metrics/a.xml");
        tally_catalog_free(catalog);
    }
}

static void test_without_any_variable(void **state)
{
    (void)state;
    unsetenv("HOME");
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_DATA_DIRS");
    struct tally_catalog *catalog = tally_catalog_new("/nonexistent");
    assert_non_null(catalog);
    assert_int_equal(strncmp(found(catalog, "TST", NULL, "X"), "-2: unknown metric set X", 24), 0);
    tally_catalog_free(catalog);
    tally_catalog_free(NULL);
}

static void test_a_directory_is_read_once(void **state)
{
    (void)state;
    char path[256];
    const struct tally_metric_set *const *sets;
    make_directory("one");
    make_set("one/a.xml", "TST", "A", UUID);
    set_list("TALLY_METRICS_PATH", "one", "one");
    path_of(path, sizeof path, "one");
    struct tally_catalog *catalog = tally_catalog_new(path);
    assert_int_equal(tally_catalog_sets(catalog, "TST", &sets, NULL), 1);
    tally_catalog_free(catalog);
}

/* One directory is read in order of name; only files that end in .xml and are not hidden. */
static void test_order_in_a_directory(void **state)
{
    (void)state;
    static const char *const files[] = {"b.xml", "a.xml", "c.xml", "B.xml", "10.xml", "9.xml"};
    static const char *const order[] = {"d/10.xml", "d/9.xml", "d/B.xml",
                                        "d/a.xml",  "d/b.xml", "d/c.xml"};
    char path[256];
    const struct tally_metric_set *const *sets;
    make_directory("d");
    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(path, sizeof path, "d/%s", files[i]);
        make_set(path, "TST", "Same", UUID);
    }
    make_set("d/.hidden.xml", "TST", "Same", UUID);
    make_set("d/a.xml.bak", "TST", "Same", UUID);
    make_set("d/xml", "TST", "Same", UUID);
    make_file("d/README", "no set");
    path_of(path, sizeof path, "d");
    struct tally_catalog *catalog = tally_catalog_new(path);
    assert_int_equal(tally_catalog_sets(catalog, "TST", &sets, NULL), COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(sets[i]->name, order[i]);
    tally_catalog_free(catalog);
}

/* ---- which set ----------------------------------------------------------------------------- */

#define U1 "11111111-1111-1111-1111-111111111111"
#define U2 "22222222-2222-2222-2222-222222222222"
#define U3 "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"

static void test_which_set(void **state)
{
    (void)state;
    make_directory("first");
    make_directory("second");
    make_set("first/skl.xml", "SKL", "Basic", U1);
    make_set("first/sklgt3.xml", "SKLGT3", "Basic", U2);
    make_set("first/hsw.xml", "HSW", "Basic", U1);
    make_set("first/only.xml", "SKL", "OnlyThere", U1);
    make_set("second/sklgt2.xml", "SKLGT2", "Basic", U3);
    make_set("second/sklgt2b.xml", "SKLGT2", "Other", U1);
    set_list("TALLY_METRICS_PATH", "first", "second");
    struct tally_catalog *catalog = tally_catalog_new(NULL);
    static const struct {
        unsigned line;
        const char *chipset, *uuid, *symbol;
        const char *expected; /* start of the result of found() */
    } rows[] = {
        /* By symbol: the chipset's files before the platform's, in any directory. */
        {__LINE__, "SKLGT2", NULL, "Basic", "second/sklgt2.xml"},
        {__LINE__, "SKLGT3", NULL, "Basic", "first/sklgt3.xml"},
        {__LINE__, "SKLGT4", NULL, "Basic", "first/skl.xml"}, /* no GT4 file: SKL's */
        {__LINE__, "SKL", NULL, "Basic", "first/skl.xml"},
        {__LINE__, "sklgt2", NULL, "Basic", "second/sklgt2.xml"},
        {__LINE__, "SKLGT2", NULL, "OnlyThere", "first/only.xml"},
        {__LINE__, "HSW", NULL, "Basic", "first/hsw.xml"},
        {__LINE__, "HSWGT2", NULL, "Basic", "first/hsw.xml"},
        {__LINE__, "SKLX", NULL, "Basic", "-2"}, /* no GT: another chip */
        {__LINE__, "SK", NULL, "Basic", "-2"},
        {__LINE__, "SKLGT2", NULL, "basic", "-2"}, /* symbols are case-sensitive */
        {__LINE__, "SKLGT2", NULL, "Nothing", "-2"},

        /* By UUID first, even if the symbol would be found elsewhere. */
        {__LINE__, "SKLGT2", U1, "Basic", "second/sklgt2b.xml"},
        {__LINE__, "SKLGT2", U3, NULL, "second/sklgt2.xml"},
        {__LINE__, "SKLGT2", "AAAAAAAA-BBBB-cccc-dddd-EEEEEEEEEEEE", "Other", "second/sklgt2.xml"},
        {__LINE__, "SKLGT3", U1, "Basic", "first/only.xml"}, /* only.xml before skl.xml, by name */
        {__LINE__, "SKLGT3", U2, "", "first/sklgt3.xml"},
        {__LINE__, "HSW", U1, NULL, "first/hsw.xml"}, /* of this chipset */
        {__LINE__, "HSW", U3, NULL, "-2"},

        /* An unknown UUID: then by symbol. */
        {__LINE__, "SKLGT2", UUID, "Basic", "second/sklgt2.xml"},
        {__LINE__, "SKLGT2", "", "Basic", "second/sklgt2.xml"},
        {__LINE__, "SKLGT2", UUID, NULL, "-2"},
        {__LINE__, "SKLGT2", NULL, NULL, "-2"},
        {__LINE__, "SKLGT2", "", "", "-2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = found(catalog, rows[i].chipset, rows[i].uuid, rows[i].symbol);
        ROW(rows[i].line, !strncmp(text, rows[i].expected, strlen(rows[i].expected)),
            "finds %s, expected %s", text, rows[i].expected);
    }
    tally_catalog_free(catalog);
    ROWS_DONE();
}

static void test_messages_of_missing_sets(void **state)
{
    (void)state;
    const struct tally_metric_set *set = NULL;
    struct tally_error error = {0};
    char expected[300];
    make_directory("first");
    set_list("TALLY_METRICS_PATH", "first", "first");
    struct tally_catalog *catalog = tally_catalog_new(NULL);
    assert_int_equal(tally_catalog_find(catalog, "SKLGT2", UUID, "Nope", &set, &error), -ENOENT);
    snprintf(expected, sizeof expected,
             "unknown metric set Nope or %s for SKLGT2, expected one in %s/first", UUID, root);
    assert_int_equal(strncmp(error.message, expected, strlen(expected)), 0);
    assert_int_equal(error.code, -ENOENT);
    assert_int_equal(tally_catalog_find(catalog, "SKLGT2", NULL, "Nope", &set, &error), -ENOENT);
    assert_int_equal(
        strncmp(error.message, "unknown metric set Nope for SKLGT2, expected one in ", 52), 0);
    assert_int_equal(tally_catalog_find(catalog, "SKLGT2", UUID, NULL, &set, &error), -ENOENT);
    assert_int_equal(
        strncmp(error.message, "unknown metric set " UUID " for SKLGT2, expected one in ", 84), 0);
    assert_int_equal(tally_catalog_find(catalog, "SKLGT2", NULL, "Nope", &set, NULL), -ENOENT);
    assert_null(set);
    tally_catalog_free(catalog);
}

/* A malformed file is reported only when its sets are needed. */
static void test_broken_files(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    const struct tally_metric_set *const *sets;
    struct tally_error error = {0};
    make_directory("d");
    make_file("d/a.xml", "<metrics>\n<set chipset=\"BRK\" name=\"\">");
    make_set("d/b.xml", "TST", "Good", UUID);
    set_list("TALLY_METRICS_PATH", "d", "d");
    struct tally_catalog *catalog = tally_catalog_new(NULL);
    assert_string_equal(found(catalog, "TST", NULL, "Good"), "d/b.xml");
    assert_int_equal(tally_catalog_find(catalog, "BRK", NULL, "Good", &set, &error), -EBADMSG);
    assert_non_null(strstr(error.message, "d/a.xml:2: <set> without"));
    assert_int_equal(tally_catalog_sets(catalog, "TST", &sets, &error), 1);
    assert_int_equal(tally_catalog_sets(catalog, "BRK", &sets, &error), -EBADMSG);
    assert_int_equal(tally_catalog_sets(catalog, NULL, &sets, &error), -EBADMSG);
    tally_catalog_free(catalog);
}

/* The sets of a file are found with any attributes and comments that XML allows. */
static void test_files_written_otherwise(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name, *head, *attribute;
    } rows[] = {
        {__LINE__, "plain", "", "chipset=\"TST\""},
        {__LINE__, "byte-order-mark", "\xef\xbb\xbf", "chipset=\"TST\""},
        {__LINE__, "new-lines", "\r\n\r\n", "\r\n\tchipset=\"TST\"\r\n"},
        /* The chipset must be parsed as XML, wherever the first set is. */
        {__LINE__, "single-quotes", "", "chipset='TST'"},
        {__LINE__, "spaces", "", "chipset = \"TST\""},
        {__LINE__, "comment", "<!-- not chipset=\"HSW\" -->", "chipset=\"TST\""},
        {__LINE__, "long-comment", NULL, "chipset=\"TST\""}, /* of 5,000 bytes */
    };
    char long_comment[6000] = "<!-- ";
    memset(long_comment + 5, 'x', 5000);
    strcpy(long_comment + 5005, " -->");
    make_directory("d");
    set_list("TALLY_METRICS_PATH", "d", "d");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[64], text[8000];
        struct tally_metric_file *file;
        snprintf(name, sizeof name, "d/%s.xml", rows[i].name);
        snprintf(
            text, sizeof text,
            "%s<metrics><set name=\"%s\" symbol_name=\"%s\" hw_config_guid=\"\" %s/></metrics>",
            rows[i].head ? rows[i].head : long_comment, name, rows[i].name, rows[i].attribute);
        make_file(name, text);
        if (ROW(rows[i].line, !tally_metric_file_load_memory(text, strlen(text), name, &file, NULL),
                "%s does not load", name))
            tally_metric_file_free(file);
        struct tally_catalog *catalog = tally_catalog_new(NULL);
        ROW(rows[i].line, !strcmp(found(catalog, "TST", NULL, rows[i].name), name), "%s: %s",
            rows[i].name, found(catalog, "TST", NULL, rows[i].name));
        tally_catalog_free(catalog);
    }
    ROWS_DONE();
}

/* ---- lists --------------------------------------------------------------------------------- */

static void test_lists_of_sets(void **state)
{
    (void)state;
    const struct tally_metric_set *const *sets;
    make_directory("d");
    make_set("d/1.xml", "TSTGT2", "A", UUID);
    make_set("d/2.xml", "TSTGT3", "B", UUID);
    make_set("d/3.xml", "TST", "C", UUID);
    make_set("d/4.xml", "OTHER", "D", UUID);
    set_list("TALLY_METRICS_PATH", "d", "d");
    struct tally_catalog *catalog = tally_catalog_new(NULL);
    /* A platform's name lists all of its chipsets; a chipset's name its own sets and the
     * platform's. */
    assert_int_equal(tally_catalog_sets(catalog, "TST", &sets, NULL), 3);
    assert_int_equal(tally_catalog_sets(catalog, "tst", &sets, NULL), 3);
    assert_int_equal(tally_catalog_sets(catalog, "TSTGT2", &sets, NULL), 2);
    assert_string_equal(sets[0]->name, "d/1.xml");
    assert_string_equal(sets[1]->name, "d/3.xml");
    assert_int_equal(tally_catalog_sets(catalog, "OTHER", &sets, NULL), 1);
    assert_string_equal(sets[0]->symbol, "D");
    assert_int_equal(tally_catalog_sets(catalog, "QQQ", &sets, NULL), 0);
    assert_true(tally_catalog_sets(catalog, NULL, &sets, NULL) >= 4);
    tally_catalog_free(catalog);
}

/* Each of the project's own sets is found by its symbol and by its UUID. */
static void test_own_sets_are_found(void **state)
{
    (void)state;
    char path[512];
    const struct tally_metric_set *const *sets;
    struct tally_error error = {0};
    snprintf(path, sizeof path, "%s/data/metrics", source_directory());
    struct tally_catalog *catalog = tally_catalog_new(path);
    ptrdiff_t count = tally_catalog_sets(catalog, NULL, &sets, &error);
    assert_true(count >= 18);
    for (ptrdiff_t i = 0; i < count; i++) {
        const struct tally_metric_set *set = NULL;
        if (strncmp(sets[i]->file, path, strlen(path)) != 0)
            continue; /* from a directory of the machine */
        assert_int_equal(
            tally_catalog_find(catalog, sets[i]->chipset, NULL, sets[i]->symbol, &set, NULL), 0);
        assert_ptr_equal(set, sets[i]);
        if (!*sets[i]->uuid)
            continue; /* NVIDIA's */
        assert_int_equal(
            tally_catalog_find(catalog, sets[i]->chipset, sets[i]->uuid, NULL, &set, NULL), 0);
        assert_ptr_equal(set, sets[i]);
    }
    tally_catalog_free(catalog);
}

int test_catalog(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_order_of_directories),     TEST(test_home_where_xdg_is_not_set),
        TEST(test_without_any_variable),     TEST(test_a_directory_is_read_once),
        TEST(test_order_in_a_directory),     TEST(test_which_set),
        TEST(test_messages_of_missing_sets), TEST(test_broken_files),
        TEST(test_files_written_otherwise),  TEST(test_lists_of_sets),
        TEST(test_own_sets_are_found),
    };
    return cmocka_run_group_tests_name("catalog", tests, NULL, NULL);
}
