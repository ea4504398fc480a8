// SPDX-License-Identifier: MIT
// Reads a Parquet file with hyparquet: read.js FILE. Prints a line with the schema and the metadata, then each
// row as an array, in JSON. Integers are texts, so that they keep all digits; so are doubles that JSON lacks.
import {readFileSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const require = createRequire(process.env.TALLY_PARQUET + '/');
const {parquetMetadata, parquetReadObjects} = await import(pathToFileURL(require.resolve('hyparquet')));

const bytes = readFileSync(process.argv[2]);
const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const plain = (_, value) => typeof value === 'bigint' ? value.toString()
    : typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
const metadata = parquetMetadata(file);
const lines = [metadata];
const rows = await parquetReadObjects({file, metadata});
const names = metadata.schema.slice(1).map((column) => column.name);
for (const row of rows)
    lines.push(names.map((name) => row[name] === undefined ? null : row[name]));
for (let i = 0; i < lines.length; i += 1000) {
    let text = Buffer.from(lines.slice(i, i + 1000).map((line) => JSON.stringify(line, plain) + '\n').join(''));
    while (text.length)
        text = text.subarray(writeSync(1, text));
}
