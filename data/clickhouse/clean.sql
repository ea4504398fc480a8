-- SPDX-License-Identifier: MIT
-- Removes the rows of attempts that were never committed, or came second. Run it on each server, now and then:
--
--     clickhouse-client --database tally --multiquery < clean.sql
--
-- An attempt is the time at which it began, in seconds, times 2^31: those of the last day are left alone, since they may
-- still be on their way.

ALTER TABLE recording_values_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE contexts_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE context_values_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE phases_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE phase_values_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE intervals_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE interval_values_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE losses_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE blocks_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE marks_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE samples_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE sample_values_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE sections_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
ALTER TABLE section_values_rows DELETE WHERE attempt < bitShiftLeft(toInt64(toUnixTimestamp(now()) - 86400), 31)
    AND (recording, attempt) NOT IN (SELECT recording, attempt FROM committed);
