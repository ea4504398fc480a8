-- SPDX-License-Identifier: MIT
-- Views over all recordings of a database: apply them after store.sql, and after fleet.sql to its database.
--
--     clickhouse-client --database tally --multiquery < views.sql
--
-- ClickHouse 18.16 has no window functions: ranks and neighbours are computed in arrays.

CREATE VIEW IF NOT EXISTS worst_contexts AS SELECT counter, rank, item.1 AS recording, item.2 AS name,
    item.3 AS date, item.4 AS device, item.5 AS metric_set, item.6 AS workload, item.7 AS context, item.8 AS units,
    item.9 AS overall, item.10 AS mean, item.11 AS p95, item.12 AS maximum, item.13 AS duration_ns
FROM (
    SELECT counter, arraySort((x, key) -> -key, items, keys) AS sorted, arrayReverseSort(keys) AS sorted_keys
    FROM (
        SELECT counter, groupArray(ifNull(overall, -inf)) AS keys, groupArray((recording, name, date, device,
            metric_set, workload, context, units, overall, mean, p95, maximum, duration_ns)) AS items
        FROM context_list GROUP BY counter
    )
)
ARRAY JOIN sorted AS item,
    arrayMap((place, equal) -> toInt64(place - equal + 1), arrayEnumerate(sorted_keys), arrayEnumerateUniq(sorted_keys)) AS rank;

CREATE VIEW IF NOT EXISTS changes AS SELECT counter, units, device, metric_set, workload,
    item.2 AS recording, item.4 AS date, item.3 AS name, earlier.2 AS recording_before, earlier.4 AS date_before,
    earlier.5 AS before, item.5 AS after, item.5 - earlier.5 AS change,
    if(earlier.5 != 0, 100.0 * (item.5 - earlier.5) / earlier.5, NULL) AS percent
FROM (
    SELECT counter, units, device, metric_set, workload,
        arraySort(x -> (x.1, x.2), groupArray((ifNull(date, ''), recording, name, date, overall))) AS items
    FROM counter_values GROUP BY counter, units, device, metric_set, workload
)
ARRAY JOIN arrayPopBack(items) AS earlier, arrayPopFront(items) AS item;
