#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints store.sql with replicated tables: make_replicated.py STORE.SQL"""
import re
import sys


def replicated(match):
    return (f"{match[1]}ENGINE = Replicated{match[3]}('/clickhouse/tables/{{shard}}/tally/{match[2]}', '{{replica}}')")


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
text = re.sub(r"(CREATE TABLE IF NOT EXISTS (\w+) \([^;]*?)ENGINE = (\w*MergeTree)", replicated, text)
text = text.replace("< store.sql", "< replicated.sql").replace(
    "-- For the SQL of", "-- The macros {shard} and {replica} of each server name it; inserts need insert_quorum (docs/fleet.md).\n-- For the SQL of")
sys.stdout.write(text)
