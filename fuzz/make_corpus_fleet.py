#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes fuzz/corpus/answer and fuzz/corpus/clickhouse_url: answers of ClickHouse 18.16 and of broken servers, URLs."""
import os

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")

ANSWERS = {
    "numbers": b"id\tvalue\tshare\nInt64\tNullable(Float64)\tFloat64\n-9223372036854775808\t\\N\t0.1\n"
               b"9007199254740993\t1e-300\tinf\n",
    "texts": b"name\tdata\nString\tLowCardinality(Nullable(String))\na\\tb\\nc\\\\d\\'e\t\\N\n\t\\0\xff\\0\n",
    "unsigned": b"a\nUInt64\n18446744073709551615\n",
    "nan": b"a\nFloat64\nnan\n-inf\n",
    "empty": b"a\tb\nString\tInt64\n",
    "array": b"a\nArray(Nullable(Int64))\n[1,NULL]\n",
    "head": b"a\tb\nString",
    "cut": b"a\tb\nString\tInt64\nx\t",
    "columns": b"a\tb\nString\tInt64\nx\n",
    "more": b"a\nInt64\n1\t2\n",
    "types": b"a\nInt64\n1x\n",
    "blanks": b"a\nInt64\n 1\n",
    "hexadecimal": b"a\nFloat64\n0x1p3\n",
    "null": b"a\nInt64\n\\N1\n",
    "null-name": b"\\N\nInt64\n1\n",
    "exception": b"a\nInt64\n1\nCode: 279, e.displayText() = DB::Exception: All connection tries failed.\n",
    "html": b"<html><head><title>It works</title></head></html>\n",
    "many": b"\t".join(b"c%d" % i for i in range(300)) + b"\n",
    "nul": b"a\\0b\nInt64\n1\n",
    "backslash": b"a\nString\nx\\",
    "nothing": b"",
}

URLS = {
    "plain": b"clickhouse://db.example/fleet",
    "all": b"clickhouses://user:p%40ss%3a@db.example:8443/fleet_2",
    "address": b"clickhouse://[::1]:9000/a",
    "at": b"clickhouse://a:b@c@d/e",
    "port": b"clickhouse://a:99999/b",
    "no-port": b"clickhouse://a:/b",
    "escape": b"clickhouse://a%4:b@c/d",
    "control": b"clickhouse://a%0a:b@c/d",
    "open": b"clickhouse://[::1/d",
    "database": b"clickhouse://a/b;c",
    "short": b"clickhouse://",
    "other": b"http://a/b",
    "long": b"clickhouse://" + b"h" * 300 + b"/b",
}


def main():
    for folder, seeds, prefix in (("answer", ANSWERS, b"\x06"), ("clickhouse_url", URLS, b"")):
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
        for name, data in seeds.items():
            with open(os.path.join(HERE, folder, name), "wb") as file:
                file.write(prefix + data)


if __name__ == "__main__":
    main()
