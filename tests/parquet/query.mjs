// SPDX-License-Identifier: MIT
// Runs statements of DuckDB: query.js SQL... Prints the rows of each as objects, in JSON, a line each. Integers of 64 bits
// and more are texts.
import {createRequire} from 'node:module';

const require = createRequire(process.env.TALLY_PARQUET + '/');
const {DuckDBInstance} = require('@duckdb/node-api');

const connection = await (await DuckDBInstance.create(':memory:')).connect();
for (const sql of process.argv.slice(2)) {
    const reader = await connection.runAndReadAll(sql);
    for (const row of reader.getRowObjectsJson())
        process.stdout.write(JSON.stringify(row) + '\n');
}
