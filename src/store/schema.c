/* SPDX-License-Identifier: MIT */
/* The schema of a store. docs/store.md describes it, and a test compares the two. */
#include "base/bits.h"
#include "store/database.h"

/* Statistics of a counter, as in `tally report`; NULL: not defined. */
#define STATISTICS "overall ANY, minimum ANY, mean REAL, p50 ANY, p95 ANY, p99 ANY, maximum ANY"

// clang-format off
#define NAMED \
    "r.name AS name, r.date AS date, d.name AS device, s.symbol AS metric_set, r.workload AS workload"
// clang-format on

#define JOINED                                                                                     \
    " JOIN recordings r ON r.id = v.recording JOIN devices d ON d.id = r.device"                   \
    " JOIN counters c ON c.id = v.counter JOIN sets s ON s.id = c.metric_set"

const struct store_object store_objects[] = {
    {"devices",
     "CREATE TABLE devices(id INTEGER PRIMARY KEY, name TEXT NOT NULL, vendor TEXT NOT NULL, "
     "platform TEXT NOT NULL, pci_device INTEGER NOT NULL, revision INTEGER NOT NULL, "
     "eus INTEGER NOT NULL, modelled INTEGER NOT NULL, "
     "UNIQUE(name, vendor, platform, pci_device, revision, eus, modelled)) STRICT"},
    {"sets",
     "CREATE TABLE sets(id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, name TEXT NOT NULL, "
     "uuid TEXT NOT NULL, chipset TEXT NOT NULL, UNIQUE(symbol, name, uuid, chipset)) STRICT"},
    {"counters",
     "CREATE TABLE counters(id INTEGER PRIMARY KEY, metric_set INTEGER NOT NULL, "
     "symbol TEXT NOT NULL, name TEXT NOT NULL, units TEXT NOT NULL, description TEXT NOT NULL, "
     "UNIQUE(metric_set, symbol, name, units, description)) STRICT"},
    {"recordings",
     "CREATE TABLE recordings(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, "
     "date TEXT, hash TEXT NOT NULL UNIQUE, size_bytes INTEGER NOT NULL, kind TEXT NOT NULL, "
     "layout TEXT NOT NULL, device INTEGER NOT NULL, metric_set INTEGER, provenance TEXT, "
     "workload TEXT, timestamp_hz INTEGER NOT NULL, period_ns INTEGER, cpu_start_ns INTEGER, "
     "duration_ns INTEGER NOT NULL, reports INTEGER NOT NULL, lost_deltas INTEGER NOT NULL, "
     "missing_reports INTEGER NOT NULL, paused_ns INTEGER NOT NULL, problem TEXT) STRICT"},
    {"recording_values",
     "CREATE TABLE recording_values(recording INTEGER, counter INTEGER, " STATISTICS
     ", PRIMARY KEY(recording, counter)) STRICT, WITHOUT ROWID"},
    {"contexts", "CREATE TABLE contexts(recording INTEGER, context TEXT, deltas INTEGER NOT NULL, "
                 "lost INTEGER NOT NULL, duration_ns INTEGER NOT NULL, "
                 "PRIMARY KEY(recording, context)) STRICT, WITHOUT ROWID"},
    {"context_values",
     "CREATE TABLE context_values(recording INTEGER, context TEXT, counter INTEGER, " STATISTICS
     ", PRIMARY KEY(recording, context, counter)) STRICT, WITHOUT ROWID"},
    {"phases", "CREATE TABLE phases(recording INTEGER, phase INTEGER, planned_ns INTEGER, "
               "deltas INTEGER NOT NULL, lost INTEGER NOT NULL, duration_ns INTEGER NOT NULL, "
               "PRIMARY KEY(recording, phase)) STRICT, WITHOUT ROWID"},
    {"phase_values",
     "CREATE TABLE phase_values(recording INTEGER, phase INTEGER, counter INTEGER, " STATISTICS
     ", PRIMARY KEY(recording, phase, counter)) STRICT, WITHOUT ROWID"},
    {"intervals", "CREATE TABLE intervals(recording INTEGER, width_ns INTEGER, number INTEGER, "
                  "deltas INTEGER NOT NULL, lost INTEGER NOT NULL, duration_ns INTEGER NOT NULL, "
                  "PRIMARY KEY(recording, width_ns, number)) STRICT, WITHOUT ROWID"},
    {"interval_values",
     "CREATE TABLE interval_values(recording INTEGER, width_ns INTEGER, number INTEGER, "
     "counter INTEGER, overall ANY, minimum ANY, mean REAL, maximum ANY, "
     "PRIMARY KEY(recording, width_ns, number, counter)) STRICT, WITHOUT ROWID"},
    {"marks",
     "CREATE TABLE marks(recording INTEGER, number INTEGER, kind TEXT NOT NULL, name TEXT, "
     "time_ns INTEGER NOT NULL, earliest_ns INTEGER NOT NULL, latest_ns INTEGER NOT NULL, "
     "PRIMARY KEY(recording, number)) STRICT, WITHOUT ROWID"},
    {"sections", "CREATE TABLE sections(recording INTEGER, section INTEGER, name TEXT NOT NULL, "
                 "deltas INTEGER NOT NULL, lost INTEGER NOT NULL, duration_ns INTEGER NOT NULL, "
                 "PRIMARY KEY(recording, section)) STRICT, WITHOUT ROWID"},
    {"section_values",
     "CREATE TABLE section_values(recording INTEGER, section INTEGER, counter INTEGER, " STATISTICS
     ", PRIMARY KEY(recording, section, counter)) STRICT, WITHOUT ROWID"},
    {"losses", "CREATE TABLE losses(recording INTEGER, number INTEGER, reason TEXT NOT NULL, "
               "records INTEGER NOT NULL, after_report INTEGER, start_ns INTEGER, end_ns INTEGER, "
               "estimated_reports INTEGER, exact INTEGER NOT NULL, "
               "PRIMARY KEY(recording, number)) STRICT, WITHOUT ROWID"},
    {"samples", "CREATE TABLE samples(recording INTEGER, number INTEGER, start_ns INTEGER, "
                "duration_ns INTEGER, PRIMARY KEY(recording, number)) STRICT, WITHOUT ROWID"},
    {"sample_values",
     "CREATE TABLE sample_values(recording INTEGER, number INTEGER, counter INTEGER, source TEXT, "
     "value ANY, PRIMARY KEY(recording, number, counter, source)) STRICT, WITHOUT ROWID"},
    {"blocks", "CREATE TABLE blocks(recording INTEGER, number INTEGER, start INTEGER NOT NULL, "
               "size INTEGER NOT NULL, rows INTEGER NOT NULL, data BLOB NOT NULL, "
               "PRIMARY KEY(recording, number)) STRICT"},
    {"recording_list",
     "CREATE VIEW recording_list AS SELECT r.id AS recording, " NAMED
     ", d.platform AS platform, r.reports AS reports, r.lost_deltas AS lost_deltas, "
     "r.missing_reports AS missing_reports, "
     "r.duration_ns / 1e9 AS seconds, r.size_bytes AS size_bytes, "
     "(SELECT sum(length(data)) FROM blocks b WHERE b.recording = r.id) AS stored_bytes, "
     "r.problem AS problem FROM recordings r JOIN devices d ON d.id = r.device "
     "LEFT JOIN sets s ON s.id = r.metric_set"},
    {"counter_values", "CREATE VIEW counter_values AS SELECT v.recording AS recording, " NAMED
                       ", c.symbol AS counter, c.units AS units, v.overall AS overall, v.minimum "
                       "AS minimum, v.mean AS mean, "
                       "v.p50 AS p50, v.p95 AS p95, v.p99 AS p99, v.maximum AS maximum FROM "
                       "recording_values v" JOINED},
    {"worst_contexts",
     "CREATE VIEW worst_contexts AS SELECT c.symbol AS counter, rank() OVER "
     "(PARTITION BY c.symbol ORDER BY v.overall DESC) AS rank, v.recording AS recording, " NAMED
     ", v.context AS context, c.units AS units, v.overall AS overall, v.mean AS mean, "
     "v.p95 AS p95, v.maximum AS maximum, x.duration_ns AS duration_ns FROM context_values v" JOINED
     " JOIN contexts x ON x.recording = v.recording AND x.context = v.context"},
    {"phase_list",
     "CREATE VIEW phase_list AS SELECT v.recording AS recording, " NAMED
     ", v.phase AS phase, c.symbol AS counter, c.units AS units, v.overall AS overall, "
     "v.minimum AS minimum, v.mean AS mean, v.p50 AS p50, v.p95 AS p95, v.p99 AS p99, v.maximum AS "
     "maximum "
     "FROM phase_values v" JOINED},
    {"section_list",
     "CREATE VIEW section_list AS SELECT v.recording AS recording, " NAMED
     ", x.name AS section, c.symbol AS counter, c.units AS units, v.overall AS overall, "
     "v.minimum AS minimum, v.mean AS mean, v.p50 AS p50, v.p95 AS p95, v.p99 AS p99, v.maximum AS "
     "maximum, x.duration_ns AS duration_ns FROM section_values v" JOINED
     " JOIN sections x ON x.recording = v.recording AND x.section = v.section"},
    {"frame_list",
     "CREATE VIEW frame_list AS SELECT r.id AS recording, " NAMED
     ", f.frame AS frame, f.start_ns AS start_ns, f.end_ns - f.start_ns AS duration_ns FROM ("
     "SELECT recording, row_number() OVER w AS frame, coalesce(lag(time_ns) OVER w, min(time_ns, "
     "0)) AS start_ns, "
     "time_ns AS end_ns FROM marks WHERE kind = 'frame' "
     "WINDOW w AS (PARTITION BY recording ORDER BY number)) f JOIN recordings r ON r.id = "
     "f.recording JOIN devices d ON d.id = r.device LEFT JOIN sets s ON s.id = r.metric_set"},
    {"interval_list",
     "CREATE VIEW interval_list AS SELECT v.recording AS recording, " NAMED
     ", v.width_ns AS width_ns, v.number * v.width_ns AS start_ns, c.symbol AS counter, "
     "c.units AS units, v.overall AS overall, v.minimum AS minimum, v.mean AS mean, v.maximum AS "
     "maximum "
     "FROM interval_values v" JOINED},
    {"sample_list", "CREATE VIEW sample_list AS SELECT v.recording AS recording, " NAMED
                    ", v.number AS number, p.start_ns AS start_ns, p.duration_ns AS duration_ns, "
                    "v.source AS source, c.symbol AS counter, c.units AS units, v.value AS value "
                    "FROM sample_values v" JOINED
                    " JOIN samples p ON p.recording = v.recording AND p.number = v.number"},
    {"changes", "CREATE VIEW changes AS SELECT *, after - before AS change, "
                "CASE WHEN before <> 0 THEN 100.0 * (after - before) / before END AS percent FROM ("
                "SELECT counter, units, device, metric_set, workload, recording, date, name, "
                "lag(recording) OVER w AS recording_before, lag(date) OVER w AS date_before, "
                "lag(overall) OVER w AS before, overall AS after FROM counter_values "
                "WINDOW w AS (PARTITION BY counter, units, device, metric_set, workload "
                "ORDER BY date, recording)) WHERE recording_before IS NOT NULL"},
};
const size_t store_object_count = ARRAY_COUNT(store_objects);

const char *const store_parts[] = {
    "recording_values", "contexts",        "context_values", "phases",   "phase_values",
    "intervals",        "interval_values", "marks",          "sections", "section_values",
    "losses",           "samples",         "sample_values",  "blocks"};
const size_t store_part_count = ARRAY_COUNT(store_parts);
