// SPDX-License-Identifier: MIT
"use strict";
/*
 * The data of a live page: the rows that a server sends (docs/serve.md), of at most KEPT_ROWS; of more while an older
 * part is looked at. Times are nanoseconds since a whole minute.
 */
const KEPT_ROWS = 3000; // as many as the server has
const ROWS_MAX = 4 * KEPT_ROWS;
const DROPPED_AT_ONCE = 64; // a power of two, so that pyramids keep their pairs
const CONTEXTS_MAX = 1024;
const LOSSES_MAX = 4096;
const NS_PER_MS = 1e6;

/* The header of a page for a device of the API. */
function headerOf(about) {
  const empty = () => [0, 0]; // a column of its own
  return {
    file: about.name, device: about.title, modelled: about.modelled, set: { symbol: about.set, name: about.set },
    buckets: 0, deltas_per_bucket: 1, period_ns: 0, losses: [], groups: [], statistic_names: ["overall"], slots: {},
    columns: { start_ns: empty(), end_ns: empty(), lost: empty(), context: empty(), mixed: empty() },
    counters: about.counters.map((counter, chosen) => ({ ...counter, state: "ok", chosen, mean: empty() })),
  };
}

class LiveModel extends Model {
  constructor(about) {
    super(headerOf(about), "");
    this.last = null; // row
    this.server = about.server_ms; // that the last row is from
    this.originMs = null;
    this.hasContexts = about.contexts;
    if (!about.contexts)
      this.contexts.push({ by: "context", key: "none" });
    this.shares = []; // of each row: its contexts with their parts of the time
    this.describe(about);
  }

  describe(about) {
    this.total = { by: "total", deltas: about.reports, lost: about.lost_deltas,
      ns: Math.max(0, (this.last ? this.last.t : about.started_ms) - about.started_ms) * NS_PER_MS,
      statistics: about.counters.map((counter) => [counter.overall]) };
  }

  /* Whether a device has the counters of the model. */
  fits(about) {
    return about.name === this.header.file && about.counters.length === this.counters.length &&
      this.counters.every((counter, i) => counter.symbol === about.counters[i].symbol);
  }

  nameOf() {
    return null;
  }

  nsOf(ms) {
    return (ms - this.originMs) * NS_PER_MS;
  }

  /* Returns whether a row of a server follows the last one. Each server counts its rows and sessions from 1. */
  isNext(row, server) {
    return this.last !== null && server === this.server && row.n === this.last.n + 1 && row.session === this.last.session;
  }

  /* Appends a row of a server. A gap before it has a reason. */
  append(row, server) {
    if (this.originMs === null)
      this.originMs = Math.floor(row.from / 60000) * 60000;
    if (this.last && row.t <= this.last.t)
      return;
    const before = this.last ? this.nsOf(this.last.t) : NaN;
    const start = this.last ? Math.max(this.nsOf(row.from), before) : this.nsOf(row.from);
    const reason = server !== this.server ? "server restarted" : this.last && row.session !== this.last.session ? "not counted"
      : start > before ? "not received" : null;
    if (this.last && reason)
      this.addGap(before, Math.max(start, before + 1), reason);
    this.addRow(start, this.nsOf(row.t), row.lost, row.contexts || [], row.v);
    for (const loss of row.losses || [])
      if (this.losses.length < LOSSES_MAX)
        this.losses.push({ ...loss, start_ns: this.nsOf(loss.from), end_ns: this.nsOf(loss.to) });
    this.last = row;
    this.server = server;
    this.version++;
  }

  addGap(start, end, reason) {
    this.gaps.push({ start_ns: start, end_ns: end, reason });
    this.addRow(start, end, 0, [], null);
  }

  addRow(start, end, lost, shares, values) {
    const longest = shares.reduce((best, share) => (share[1] > best[1] ? share : best), [null, -1]);
    this.start.push(start);
    this.end.push(end);
    this.lost.push(lost);
    this.context.push(this.hasContexts || !values ? this.contextIndex(longest[0]) : 0);
    this.mixed.push(shares.length > 1 ? 1 : 0);
    this.shares.push(shares);
    this.counters.forEach((counter, i) => {
      const value = values ? values[i] : null;
      this.column(counter.mean).push(value === null ? NaN : value);
    });
    if (!this.count)
      this.from = start;
    this.count++;
    this.to = end;
  }

  contextIndex(key) {
    if (key === null)
      return NaN;
    let index = this.contexts.findIndex((context) => context.key === key);
    if (index < 0)
      index = this.contexts.length < CONTEXTS_MAX ? this.contexts.push({ by: "context", key }) - 1 : CONTEXTS_MAX - 1;
    return index;
  }

  /* Drops rows beyond KEPT_ROWS that end before a time. Returns how many. */
  trim(before) {
    let count = 0;
    while (this.count - count > KEPT_ROWS + DROPPED_AT_ONCE && this.end.numbers[count + DROPPED_AT_ONCE - 1] < before)
      count += DROPPED_AT_ONCE;
    if (!count)
      return 0;
    for (const column of this.columns.values())
      column.drop(count);
    this.shares.splice(0, count);
    this.count -= count;
    this.from = this.start.numbers[0];
    this.losses = this.losses.filter((loss) => loss.end_ns >= this.from);
    this.gaps = this.gaps.filter((gap) => gap.end_ns >= this.from);
    this.version++;
    return count;
  }

  /* "0x3000 70 %, idle 30 %", or null. */
  nameOfContext(b) {
    const shares = this.shares[b] || [];
    return shares.length < 2 ? super.nameOfContext(b)
      : shares.map(([key, share]) => `${key} ${(100 * share).toFixed(0)} %`).join(", ");
  }
}
