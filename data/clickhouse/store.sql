-- SPDX-License-Identifier: MIT
-- A store of recordings in ClickHouse: all of it on one server, or a shard of a fleet (docs/fleet.md).
--
--     clickhouse-client --query 'CREATE DATABASE tally'
--     clickhouse-client --database tally --multiquery < store.sql
--
-- Tables and views have the names and columns of those in an SQLite store (docs/store.md). What is inserted is in
-- NAME_rows, with the attempt at adding that it is of. The row of recordings_rows is inserted last; NAME is a view of
-- the rows whose attempt has one. If there are several, because clients added the recording at once, the lowest counts.
-- For the SQL of ClickHouse 18.16 and later.

-- What tally looks at first: the version of these tables.
CREATE VIEW IF NOT EXISTS store_format AS SELECT toInt64(1) AS version;

-- ---- recordings: the rows that commit ------------------------------------------------------------

CREATE TABLE IF NOT EXISTS recordings_rows (
    id Int64, name String, date Nullable(String), hash String, size_bytes Int64, kind String, layout
    String, device Int64, metric_set Nullable(Int64), provenance Nullable(String), workload
    Nullable(String), timestamp_hz Int64, period_ns Nullable(Int64), cpu_start_ns Nullable(Int64),
    duration_ns Int64, reports Int64, lost_deltas Int64, missing_reports Int64, paused_ns Int64,
    problem Nullable(String),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (id, attempt);

CREATE VIEW IF NOT EXISTS committed AS SELECT id AS recording, min(attempt) AS attempt FROM recordings_rows GROUP BY id;

CREATE VIEW IF NOT EXISTS recordings AS SELECT
    id, name, date, hash, size_bytes, kind, layout, device, metric_set, provenance, workload,
    timestamp_hz, period_ns, cpu_start_ns, duration_ns, reports, lost_deltas, missing_reports,
    paused_ns, problem
FROM recordings_rows WHERE (id, attempt) IN (SELECT recording, attempt FROM committed);

-- ---- devices, sets, counters: the same row for all recordings, on each shard that has one ----------

CREATE TABLE IF NOT EXISTS devices_rows (
    id Int64, name String, vendor String, platform String, pci_device Int64, revision Int64, eus
    Int64, modelled Int64,
    recording Int64
) ENGINE = ReplacingMergeTree ORDER BY id;

CREATE VIEW IF NOT EXISTS devices AS SELECT DISTINCT
    id, name, vendor, platform, pci_device, revision, eus, modelled
FROM devices_rows;

CREATE TABLE IF NOT EXISTS sets_rows (
    id Int64, symbol String, name String, uuid String, chipset String,
    recording Int64
) ENGINE = ReplacingMergeTree ORDER BY id;

CREATE VIEW IF NOT EXISTS sets AS SELECT DISTINCT
    id, symbol, name, uuid, chipset
FROM sets_rows;

CREATE TABLE IF NOT EXISTS counters_rows (
    id Int64, metric_set Int64, symbol String, name String, units String, description String,
    recording Int64
) ENGINE = ReplacingMergeTree ORDER BY id;

CREATE VIEW IF NOT EXISTS counters AS SELECT DISTINCT
    id, metric_set, symbol, name, units, description
FROM counters_rows;

-- ---- rows of recordings ------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS recording_values_rows (
    recording Int64, counter Int64, overall Nullable(Float64), minimum Nullable(Float64), mean
    Nullable(Float64), p50 Nullable(Float64), p95 Nullable(Float64), p99 Nullable(Float64), maximum
    Nullable(Float64), overall_exact Nullable(Int64), minimum_exact Nullable(Int64), p50_exact
    Nullable(Int64), p95_exact Nullable(Int64), p99_exact Nullable(Int64), maximum_exact
    Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, counter);

CREATE VIEW IF NOT EXISTS recording_values AS SELECT
    recording, counter, overall, minimum, mean, p50, p95, p99, maximum, overall_exact,
    minimum_exact, p50_exact, p95_exact, p99_exact, maximum_exact
FROM recording_values_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS contexts_rows (
    recording Int64, context String, deltas Int64, lost Int64, duration_ns Int64,
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, context);

CREATE VIEW IF NOT EXISTS contexts AS SELECT
    recording, context, deltas, lost, duration_ns
FROM contexts_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS context_values_rows (
    recording Int64, context String, counter Int64, overall Nullable(Float64), minimum
    Nullable(Float64), mean Nullable(Float64), p50 Nullable(Float64), p95 Nullable(Float64), p99
    Nullable(Float64), maximum Nullable(Float64), overall_exact Nullable(Int64), minimum_exact
    Nullable(Int64), p50_exact Nullable(Int64), p95_exact Nullable(Int64), p99_exact
    Nullable(Int64), maximum_exact Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, context, counter);

CREATE VIEW IF NOT EXISTS context_values AS SELECT
    recording, context, counter, overall, minimum, mean, p50, p95, p99, maximum, overall_exact,
    minimum_exact, p50_exact, p95_exact, p99_exact, maximum_exact
FROM context_values_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS phases_rows (
    recording Int64, phase Int64, planned_ns Nullable(Int64), deltas Int64, lost Int64, duration_ns
    Int64,
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, phase);

CREATE VIEW IF NOT EXISTS phases AS SELECT
    recording, phase, planned_ns, deltas, lost, duration_ns
FROM phases_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS phase_values_rows (
    recording Int64, phase Int64, counter Int64, overall Nullable(Float64), minimum
    Nullable(Float64), mean Nullable(Float64), p50 Nullable(Float64), p95 Nullable(Float64), p99
    Nullable(Float64), maximum Nullable(Float64), overall_exact Nullable(Int64), minimum_exact
    Nullable(Int64), p50_exact Nullable(Int64), p95_exact Nullable(Int64), p99_exact
    Nullable(Int64), maximum_exact Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, phase, counter);

CREATE VIEW IF NOT EXISTS phase_values AS SELECT
    recording, phase, counter, overall, minimum, mean, p50, p95, p99, maximum, overall_exact,
    minimum_exact, p50_exact, p95_exact, p99_exact, maximum_exact
FROM phase_values_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS intervals_rows (
    recording Int64, width_ns Int64, number Int64, deltas Int64, lost Int64, duration_ns Int64,
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, width_ns, number);

CREATE VIEW IF NOT EXISTS intervals AS SELECT
    recording, width_ns, number, deltas, lost, duration_ns
FROM intervals_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS interval_values_rows (
    recording Int64, width_ns Int64, number Int64, counter Int64, overall Nullable(Float64), minimum
    Nullable(Float64), mean Nullable(Float64), maximum Nullable(Float64), overall_exact
    Nullable(Int64), minimum_exact Nullable(Int64), maximum_exact Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, width_ns, number, counter);

CREATE VIEW IF NOT EXISTS interval_values AS SELECT
    recording, width_ns, number, counter, overall, minimum, mean, maximum, overall_exact,
    minimum_exact, maximum_exact
FROM interval_values_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS marks_rows (
    recording Int64, number Int64, kind String, name Nullable(String), time_ns Int64, earliest_ns
    Int64, latest_ns Int64,
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, number);

CREATE VIEW IF NOT EXISTS marks AS SELECT
    recording, number, kind, name, time_ns, earliest_ns, latest_ns
FROM marks_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS samples_rows (
    recording Int64, number Int64, start_ns Nullable(Int64), duration_ns Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, number);

CREATE VIEW IF NOT EXISTS samples AS SELECT
    recording, number, start_ns, duration_ns
FROM samples_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS sample_values_rows (
    recording Int64, number Int64, counter Int64, source String, value Nullable(Float64), value_exact
    Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, number, counter, source);

CREATE VIEW IF NOT EXISTS sample_values AS SELECT
    recording, number, counter, source, value, value_exact
FROM sample_values_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS sections_rows (
    recording Int64, section Int64, name String, deltas Int64, lost Int64, duration_ns Int64,
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, section);

CREATE VIEW IF NOT EXISTS sections AS SELECT
    recording, section, name, deltas, lost, duration_ns
FROM sections_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS section_values_rows (
    recording Int64, section Int64, counter Int64, overall Nullable(Float64), minimum
    Nullable(Float64), mean Nullable(Float64), p50 Nullable(Float64), p95 Nullable(Float64), p99
    Nullable(Float64), maximum Nullable(Float64), overall_exact Nullable(Int64), minimum_exact
    Nullable(Int64), p50_exact Nullable(Int64), p95_exact Nullable(Int64), p99_exact
    Nullable(Int64), maximum_exact Nullable(Int64),
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, section, counter);

CREATE VIEW IF NOT EXISTS section_values AS SELECT
    recording, section, counter, overall, minimum, mean, p50, p95, p99, maximum, overall_exact,
    minimum_exact, p50_exact, p95_exact, p99_exact, maximum_exact
FROM section_values_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS losses_rows (
    recording Int64, number Int64, reason String, records Int64, after_report Nullable(Int64),
    start_ns Nullable(Int64), end_ns Nullable(Int64), estimated_reports Nullable(Int64), exact Int64,
    attempt Int64, day Date
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, number);

CREATE VIEW IF NOT EXISTS losses AS SELECT
    recording, number, reason, records, after_report, start_ns, end_ns, estimated_reports, exact
FROM losses_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

CREATE TABLE IF NOT EXISTS blocks_rows (
    recording Int64, number Int64, start Int64, size Int64, rows Int64, data String,
    attempt Int64, day Date, stored Int64 DEFAULT toInt64(length(data))
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (recording, attempt, number);

CREATE VIEW IF NOT EXISTS blocks AS SELECT
    recording, number, start, size, rows, data
FROM blocks_rows WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed);

-- ---- views -------------------------------------------------------------------------------------------

-- What the views below have beside their values.
CREATE VIEW IF NOT EXISTS named_counters AS SELECT id AS counter_id, symbol AS counter, units, metric_set
FROM (SELECT id, symbol, units, metric_set AS set_id FROM counters)
ALL INNER JOIN (SELECT id AS set_id, symbol AS metric_set FROM sets) USING (set_id);

CREATE VIEW IF NOT EXISTS named_recordings AS SELECT recording, name, date, device, workload
FROM (SELECT id AS recording, name, date, device AS device_id, workload FROM recordings)
ALL INNER JOIN (SELECT id AS device_id, name AS device FROM devices) USING (device_id);

CREATE VIEW IF NOT EXISTS recording_list AS SELECT recording, name, date, device, metric_set, workload,
    platform, reports, lost_deltas, missing_reports, seconds, size_bytes, stored_bytes, problem
FROM (
    SELECT recording, name, date, device, set_id, workload, platform, reports, lost_deltas, missing_reports,
        seconds, size_bytes, stored_bytes, problem
    FROM (
        SELECT id AS recording, name, date, device, metric_set AS set_id, workload, platform, reports, lost_deltas,
            missing_reports, duration_ns / 1e9 AS seconds, size_bytes, problem
        FROM (SELECT id, name, date, device AS device_id, metric_set, workload, reports, lost_deltas, missing_reports,
            duration_ns, size_bytes, problem FROM recordings)
        ALL INNER JOIN (SELECT id AS device_id, name AS device, platform FROM devices) USING (device_id)
    )
    ALL LEFT JOIN (
        SELECT recording, toNullable(sum(stored)) AS stored_bytes FROM blocks_rows
        WHERE (recording, attempt) IN (SELECT recording, attempt FROM committed) GROUP BY recording
    ) USING (recording)
)
ALL LEFT JOIN (SELECT toNullable(id) AS set_id, toNullable(symbol) AS metric_set FROM sets) USING (set_id);

CREATE VIEW IF NOT EXISTS counter_values AS SELECT recording, name, date, device, metric_set, workload,
    counter, units,
    overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact,
    p95_exact, p99_exact, maximum_exact
FROM (
    SELECT * FROM (SELECT recording, counter AS counter_id,
    overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact,
    p95_exact, p99_exact, maximum_exact FROM recording_values)
    ALL INNER JOIN named_counters USING (counter_id)
)
ALL INNER JOIN named_recordings USING (recording);

CREATE VIEW IF NOT EXISTS phase_list AS SELECT recording, name, date, device, metric_set, workload,
    phase, counter, units,
    overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact,
    p95_exact, p99_exact, maximum_exact
FROM (
    SELECT * FROM (SELECT recording, phase, counter AS counter_id,
    overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact,
    p95_exact, p99_exact, maximum_exact FROM phase_values)
    ALL INNER JOIN named_counters USING (counter_id)
)
ALL INNER JOIN named_recordings USING (recording);

CREATE VIEW IF NOT EXISTS interval_list AS SELECT recording, name, date, device, metric_set, workload,
    width_ns, number * width_ns AS start_ns, counter, units,
    overall, minimum, mean, maximum, overall_exact, minimum_exact, maximum_exact
FROM (
    SELECT * FROM (SELECT recording, width_ns, number, counter AS counter_id,
    overall, minimum, mean, maximum, overall_exact, minimum_exact, maximum_exact FROM interval_values)
    ALL INNER JOIN named_counters USING (counter_id)
)
ALL INNER JOIN named_recordings USING (recording);

CREATE VIEW IF NOT EXISTS sample_list AS SELECT recording, name, date, device, metric_set, workload,
    number, start_ns, duration_ns, source, counter, units, value, value_exact
FROM (
    SELECT * FROM (
        SELECT * FROM (SELECT recording, number, counter AS counter_id, source, value, value_exact FROM sample_values)
        ALL INNER JOIN samples USING (recording, number)
    )
    ALL INNER JOIN named_counters USING (counter_id)
)
ALL INNER JOIN named_recordings USING (recording);

-- With the duration of each context, for worst_contexts of views.sql.
CREATE VIEW IF NOT EXISTS context_list AS SELECT recording, name, date, device, metric_set, workload,
    context, counter, units, duration_ns,
    overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact, p95_exact, p99_exact,
    maximum_exact
FROM (
    SELECT * FROM (
        SELECT * FROM (SELECT recording, context, counter AS counter_id,
            overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact, p95_exact,
            p99_exact, maximum_exact FROM context_values)
        ALL INNER JOIN (SELECT recording, context, duration_ns FROM contexts) USING (recording, context)
    )
    ALL INNER JOIN named_counters USING (counter_id)
)
ALL INNER JOIN named_recordings USING (recording);

CREATE VIEW IF NOT EXISTS section_list AS SELECT recording, name, date, device, metric_set, workload,
    section_name AS section, counter, units,
    overall, minimum, mean, p50, p95, p99, maximum, duration_ns, overall_exact, minimum_exact, p50_exact, p95_exact,
    p99_exact, maximum_exact
FROM (
    SELECT * FROM (
        SELECT * FROM (SELECT recording, section AS section_number, counter AS counter_id,
            overall, minimum, mean, p50, p95, p99, maximum, overall_exact, minimum_exact, p50_exact, p95_exact,
            p99_exact, maximum_exact FROM section_values)
        ALL INNER JOIN (SELECT recording, section AS section_number, name AS section_name, duration_ns
            FROM sections) USING (recording, section_number)
    )
    ALL INNER JOIN named_counters USING (counter_id)
)
ALL INNER JOIN named_recordings USING (recording);

-- A frame begins where the one before ends; the first one at the first report, or at its mark if that is before.
CREATE VIEW IF NOT EXISTS frame_list AS SELECT recording, name, date, device, metric_set, workload,
    frame, start_ns, end_ns - start_ns AS duration_ns
FROM (
    SELECT * FROM (
        SELECT recording, toInt64(place) AS frame, start_ns, end_ns FROM (
            SELECT recording, arrayMap(x -> x.2, arraySort(groupArray((number, time_ns)))) AS ends
            FROM marks WHERE kind = 'frame' GROUP BY recording
        )
        ARRAY JOIN arrayEnumerate(ends) AS place, ends AS end_ns,
            arrayConcat([least(ends[1], toInt64(0))], arrayPopBack(ends)) AS start_ns
    )
    ALL INNER JOIN named_recordings USING (recording)
)
ALL LEFT JOIN (
    SELECT recording, metric_set FROM (SELECT id AS recording, metric_set AS set_id FROM recordings)
    ALL LEFT JOIN (SELECT toNullable(id) AS set_id, toNullable(symbol) AS metric_set FROM sets) USING (set_id)
) USING (recording);
