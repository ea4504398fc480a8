-- SPDX-License-Identifier: MIT
-- A fleet: one database over the stores of all shards (docs/fleet.md).
--
-- Apply store.sql to the database `tally` of each server of the cluster `tally`, then this file and views.sql to the
-- database `fleet` of each server that clients connect to:
--
--     clickhouse-client --query 'CREATE DATABASE fleet'
--     clickhouse-client --database fleet --multiquery < fleet.sql
--     clickhouse-client --database fleet --multiquery < views.sql
--
-- A recording is on one shard, with its device, its set and its counters: the views of each shard need no other one.

CREATE VIEW IF NOT EXISTS store_format AS SELECT toInt64(1) AS version;

-- ---- what is inserted ---------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS recordings_rows AS tally.recordings_rows
ENGINE = Distributed(tally, tally, recordings_rows, id);

CREATE TABLE IF NOT EXISTS devices_rows AS tally.devices_rows
ENGINE = Distributed(tally, tally, devices_rows, recording);

CREATE TABLE IF NOT EXISTS sets_rows AS tally.sets_rows
ENGINE = Distributed(tally, tally, sets_rows, recording);

CREATE TABLE IF NOT EXISTS counters_rows AS tally.counters_rows
ENGINE = Distributed(tally, tally, counters_rows, recording);

CREATE TABLE IF NOT EXISTS recording_values_rows AS tally.recording_values_rows
ENGINE = Distributed(tally, tally, recording_values_rows, recording);

CREATE TABLE IF NOT EXISTS contexts_rows AS tally.contexts_rows
ENGINE = Distributed(tally, tally, contexts_rows, recording);

CREATE TABLE IF NOT EXISTS context_values_rows AS tally.context_values_rows
ENGINE = Distributed(tally, tally, context_values_rows, recording);

CREATE TABLE IF NOT EXISTS phases_rows AS tally.phases_rows
ENGINE = Distributed(tally, tally, phases_rows, recording);

CREATE TABLE IF NOT EXISTS phase_values_rows AS tally.phase_values_rows
ENGINE = Distributed(tally, tally, phase_values_rows, recording);

CREATE TABLE IF NOT EXISTS intervals_rows AS tally.intervals_rows
ENGINE = Distributed(tally, tally, intervals_rows, recording);

CREATE TABLE IF NOT EXISTS interval_values_rows AS tally.interval_values_rows
ENGINE = Distributed(tally, tally, interval_values_rows, recording);

CREATE TABLE IF NOT EXISTS marks_rows AS tally.marks_rows
ENGINE = Distributed(tally, tally, marks_rows, recording);

CREATE TABLE IF NOT EXISTS samples_rows AS tally.samples_rows
ENGINE = Distributed(tally, tally, samples_rows, recording);

CREATE TABLE IF NOT EXISTS sample_values_rows AS tally.sample_values_rows
ENGINE = Distributed(tally, tally, sample_values_rows, recording);

CREATE TABLE IF NOT EXISTS sections_rows AS tally.sections_rows
ENGINE = Distributed(tally, tally, sections_rows, recording);

CREATE TABLE IF NOT EXISTS section_values_rows AS tally.section_values_rows
ENGINE = Distributed(tally, tally, section_values_rows, recording);

CREATE TABLE IF NOT EXISTS losses_rows AS tally.losses_rows
ENGINE = Distributed(tally, tally, losses_rows, recording);

CREATE TABLE IF NOT EXISTS blocks_rows AS tally.blocks_rows
ENGINE = Distributed(tally, tally, blocks_rows, recording);

-- ---- what is read -------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS recordings AS tally.recordings ENGINE = Distributed(tally, tally, recordings);

CREATE TABLE IF NOT EXISTS recording_values AS tally.recording_values ENGINE = Distributed(tally, tally, recording_values);

CREATE TABLE IF NOT EXISTS contexts AS tally.contexts ENGINE = Distributed(tally, tally, contexts);

CREATE TABLE IF NOT EXISTS context_values AS tally.context_values ENGINE = Distributed(tally, tally, context_values);

CREATE TABLE IF NOT EXISTS phases AS tally.phases ENGINE = Distributed(tally, tally, phases);

CREATE TABLE IF NOT EXISTS phase_values AS tally.phase_values ENGINE = Distributed(tally, tally, phase_values);

CREATE TABLE IF NOT EXISTS intervals AS tally.intervals ENGINE = Distributed(tally, tally, intervals);

CREATE TABLE IF NOT EXISTS interval_values AS tally.interval_values ENGINE = Distributed(tally, tally, interval_values);

CREATE TABLE IF NOT EXISTS marks AS tally.marks ENGINE = Distributed(tally, tally, marks);

CREATE TABLE IF NOT EXISTS samples AS tally.samples ENGINE = Distributed(tally, tally, samples);

CREATE TABLE IF NOT EXISTS sample_values AS tally.sample_values ENGINE = Distributed(tally, tally, sample_values);

CREATE TABLE IF NOT EXISTS sections AS tally.sections ENGINE = Distributed(tally, tally, sections);

CREATE TABLE IF NOT EXISTS section_values AS tally.section_values ENGINE = Distributed(tally, tally, section_values);

CREATE TABLE IF NOT EXISTS losses AS tally.losses ENGINE = Distributed(tally, tally, losses);

CREATE TABLE IF NOT EXISTS blocks AS tally.blocks ENGINE = Distributed(tally, tally, blocks);

CREATE TABLE IF NOT EXISTS recording_list AS tally.recording_list ENGINE = Distributed(tally, tally, recording_list);

CREATE TABLE IF NOT EXISTS counter_values AS tally.counter_values ENGINE = Distributed(tally, tally, counter_values);

CREATE TABLE IF NOT EXISTS context_list AS tally.context_list ENGINE = Distributed(tally, tally, context_list);

CREATE TABLE IF NOT EXISTS sample_list AS tally.sample_list ENGINE = Distributed(tally, tally, sample_list);

CREATE TABLE IF NOT EXISTS phase_list AS tally.phase_list ENGINE = Distributed(tally, tally, phase_list);

CREATE TABLE IF NOT EXISTS section_list AS tally.section_list ENGINE = Distributed(tally, tally, section_list);

CREATE TABLE IF NOT EXISTS frame_list AS tally.frame_list ENGINE = Distributed(tally, tally, frame_list);

CREATE TABLE IF NOT EXISTS interval_list AS tally.interval_list ENGINE = Distributed(tally, tally, interval_list);

-- Several shards have the same device, set or counter.
CREATE TABLE IF NOT EXISTS devices_shards AS tally.devices ENGINE = Distributed(tally, tally, devices);
CREATE VIEW IF NOT EXISTS devices AS SELECT DISTINCT * FROM devices_shards;

CREATE TABLE IF NOT EXISTS sets_shards AS tally.sets ENGINE = Distributed(tally, tally, sets);
CREATE VIEW IF NOT EXISTS sets AS SELECT DISTINCT * FROM sets_shards;

CREATE TABLE IF NOT EXISTS counters_shards AS tally.counters ENGINE = Distributed(tally, tally, counters);
CREATE VIEW IF NOT EXISTS counters AS SELECT DISTINCT * FROM counters_shards;
