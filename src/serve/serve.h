/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SERVE_SERVE_H
#define TALLY_SERVE_SERVE_H

#include "serve/device.h"

/* tally serve: a server for a page, an API in JSON, and time series (docs/serve.md). */

#define SERVE_PORT        9477
#define SERVE_DEVICES_MAX 16
#define SERVE_TOKEN_MAX   256

/* Limits. A connection beyond them is closed, a request beyond them gets an error. */
#define SERVE_CONNECTIONS_MAX 128
#define SERVE_STREAMS_MAX     32          /* of these, that wait for values */
#define SERVE_EXPORTS_MAX     2           /* of these, that read a recording */
#define SERVE_EXPORT_BYTES    (256 << 20) /* size of such a recording */
#define SERVE_OUTPUT_BYTES    (256 << 20) /* and of what is made of it */
#define SERVE_HEADER_BYTES    (16 << 10)
#define SERVE_BODY_BYTES      4096
#define SERVE_TIMEOUT_S       10

struct serve {
    const char *address; /* "127.0.0.1" */
    uint16_t port;       /* 0: any; serve_run() sets it */
    const char *token;   /* NULL: none is needed */
    bool local;          /* the address is of the loopback interface */
    uint64_t started_ms; /* as in struct serve_row */
    struct serve_folder folder;
    struct serve_settings settings;
    struct serve_device devices[SERVE_DEVICES_MAX];
    size_t device_count;
    int stop_fd;                              /* readable: the server is to end */
    void (*ready)(const struct serve *serve); /* called when it listens */
    /* Appends more series. If it is set, nothing but /metrics is served. */
    void (*put_series)(void *closure, bool open_metrics, struct buffer *to);
    void *closure;
};

/* Returns why this build has no server, or NULL. */
const char *serve_missing(void);

/* Returns whether an address is of the loopback interface: "127.x.y.z" or "::1". */
bool serve_is_local(const char *address);

/* Serves until stop_fd is readable. The devices' threads run. Returns 0 or a negative errno. */
int serve_run(struct serve *serve, struct tally_error *error);

/* ---- requests and replies, without HTTP (api.c)
 * -------------------------------------------------- */

enum serve_source { SERVE_ARGUMENT, SERVE_HEADER };

struct serve_request {
    const char *method, *path;
    /* Returns an argument after the ?, or a header, or NULL. */
    const char *(*get)(void *closure, enum serve_source source, const char *name);
    void *closure;
};

struct serve_reply {
    unsigned status;
    const char *type;
    struct buffer body;
    int file; /* instead of the body, if not -1 */
    uint64_t file_bytes;
    struct serve_device *stream; /* instead of both: values as they come */
    const char *allowed;         /* with status 405 */
    char damage[256];            /* why the file lacks a part of the recording, or empty */
};

/* Answers a request. The caller frees the body and closes the file. */
void serve_answer(struct serve *serve, const struct serve_request *request,
                  struct serve_reply *reply);

/* Appends an event of a stream, the latest values. Returns their number. */
uint64_t serve_event(const struct serve *serve, struct serve_device *device, struct buffer *to);

/* Appends the series of all devices (metrics.c), as OpenMetrics or as Prometheus's text. */
void serve_metrics(struct serve *serve, bool open_metrics, struct buffer *to);

/* A sample of a series, with a label `reason` or none; those of one name follow each other. */
struct serve_series {
    const char *name, *help;
    bool is_total;
    const char *reason;
    double value;
};
void serve_put_series(struct buffer *to, bool open_metrics, const struct serve_series *series,
                      size_t count);

/* Writes counters of a recording, NULL: all, in a format (export.c). */
void serve_export(struct serve *serve, const char *name, const char *format, const char *counters,
                  struct serve_reply *reply);

/* The page, which the build makes of data/page. */
extern const char *const serve_page;
extern const size_t serve_page_bytes;

/* Sets an error: {"error": message} with a status. */
__attribute__((format(printf, 3, 4))) void serve_fail(struct serve_reply *reply, unsigned status,
                                                      const char *format, ...);

#endif
