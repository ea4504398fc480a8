// SPDX-License-Identifier: MIT
"use strict";
/* The parts below the timelines: a point, advice, summary, losses, recording. */

const STATISTIC_TITLES = { overall: "overall", minimum: "minimum", mean: "mean", maximum: "maximum",
  p50: "p50", p95: "p95", p99: "p99" };

/* The summary of the counters: of everything, of a context, or of what is visible. */
class Summary {
  constructor(page) {
    this.page = page;
    this.table = document.getElementById("summary-table");
    this.scope = document.getElementById("scope");
    this.note = document.getElementById("scope-note");
    this.sort = { column: null, descending: true };
    this.scope.addEventListener("change", () => this.draw());
  }

  /* Lists what can be summed up. */
  load() {
    const { model } = this.page;
    this.scope.replaceChildren(element("option", { value: "total" }, "total"),
      element("option", { value: "visible" }, "visible part"));
    model.contexts.forEach((context, i) => {
      if (context.statistics && context.key !== "none")
        this.scope.append(element("option", { value: String(i) }, `context ${context.key}`));
    });
    this.phases = model.header.groups.filter((group) => group.by === "phase" && group.statistics);
    this.phases.forEach((phase, i) => this.scope.append(element("option", { value: `phase ${i}` }, `phase ${phase.key}`)));
    this.scope.value = this.page.firstScope();
  }

  names() {
    const { model } = this.page;
    if (this.scope.value !== "visible")
      return model.header.statistic_names;
    // Without raw counters, equations have nothing to be computed from.
    return model.slots.size ? ["overall", "minimum", "mean", "maximum"] : ["minimum", "mean", "maximum"];
  }

  /* One object of statistics for each counter. */
  rows() {
    const { model, view } = this.page, names = model.header.statistic_names;
    if (this.scope.value !== "visible") {
      const group = this.scope.value === "total" ? model.total
        : this.scope.value.startsWith("phase ") ? this.phases[Number(this.scope.value.slice(6))]
          : model.contexts[Number(this.scope.value)];
      this.note.textContent = group
        ? `${formatCount(group.deltas)} deltas, ${formatTime(group.ns)}` + (group.lost ? `, ${formatCount(group.lost)} lost` : "") : "";
      return model.counters.map((counter, i) => {
        const values = group && group.statistics ? group.statistics[i] : [];
        return { counter, ...Object.fromEntries(names.map((name, n) => [name, values[n] ?? null])) };
      });
    }
    const [first, last] = model.count ? model.rangeOf(view.from, view.to) : [0, -1];
    const evaluation = model.evaluation(first, last);
    this.note.textContent = last < first ? "no whole delta is visible"
      : `${this.page.formatAt(model.start.numbers[first], (view.to - view.from) / 500)} to ` +
        this.page.formatAt(model.end.numbers[last], (view.to - view.from) / 500);
    return model.counters.map((counter) => ({ counter,
      ...model.statisticsOf(counter, first, last, evaluation) }));
  }

  order(rows) {
    const { column, descending } = this.sort;
    if (!column)
      return rows;
    const sign = descending ? -1 : 1;
    const key = column === "counter" ? (row) => row.counter.symbol : column === "units" ? (row) => row.counter.units
      : (row) => row[column];
    return [...rows].sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) // what has no value comes last
        return x === y ? 0 : x === null ? 1 : -1;
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
  }

  head(name, title, text) {
    const sorted = this.sort.column === name;
    return element("th", { class: text ? "text" : null, scope: "col",
      "aria-sort": sorted ? (this.sort.descending ? "descending" : "ascending") : null },
    element("button", { onclick: () => {
      this.sort = { column: name, descending: sorted ? !this.sort.descending : !text };
      this.draw();
    } }, title));
  }

  draw() {
    const names = this.names();
    const rows = this.order(this.rows());
    const body = rows.map((row) => {
      const { counter } = row;
      const still = names.every((name) => !row[name]);
      return element("tr", { class: still ? "still" : null, "data-symbol": counter.symbol },
        element("td", {}, element("button", { class: "link", title: counter.description,
          onclick: () => this.page.select(counter.symbol, true) }, counter.symbol)),
        ...names.map((name) => element("td", { class: "number", "data-name": name,
          "data-value": row[name] === null ? "" : row[name] }, formatQuantity(row[name], counter.units))),
        element("td", { class: "text soft" }, UNITS[counter.units] ? "" : counter.units));
    });
    this.table.replaceChildren(
      element("thead", {}, element("tr", {}, this.head("counter", "counter", true),
        ...names.map((name) => this.head(name, STATISTIC_TITLES[name] || name, false)),
        this.head("units", "units", true))),
      element("tbody", {}, ...body));
  }
}

function drawLossTable(page) {
  const { model } = page, body = document.getElementById("losses-body");
  const { losses } = model;
  if (!losses.length) {
    body.replaceChildren(element("p", { class: "soft" }, "Nothing is missing: the loss ledger is empty."));
    return;
  }
  const shown = page.live ? losses.slice(-500).reverse() : losses.slice(0, 500); // the latest ones first
  body.replaceChildren(
    element("table", {},
      element("thead", {}, element("tr", {}, element("th", { class: "text" }, "reason"),
        element("th", {}, "from"), element("th", {}, "length"), element("th", {}, "records"),
        element("th", {}, "missing reports"))),
      element("tbody", {}, ...shown.map((loss) => element("tr", {},
        element("td", {}, loss.start_ns === undefined || loss.end_ns === undefined ? loss.reason
          : element("button", { class: "link", title: "Show it", onclick: () => page.showLoss(loss) }, loss.reason)),
        element("td", { class: "number" }, loss.start_ns === undefined ? "before the first report"
          : page.live ? page.formatAt(loss.start_ns, 1e6) : formatTime(loss.start_ns)),
        element("td", { class: "number" }, loss.start_ns === undefined || loss.end_ns === undefined ? "-"
          : formatTime(loss.end_ns - loss.start_ns)),
        element("td", { class: "number" }, formatCount(loss.records)),
        element("td", { class: "number" }, loss.reports === undefined ? "unknown"
          : (loss.exact ? "" : "about ") + formatCount(loss.reports)))))),
    losses.length > shown.length
      ? element("p", { class: "soft" }, `and ${formatCount(losses.length - shown.length)} more`) : "");
}

function drawRecording(page) {
  const { header } = page.model;
  const rows = [
    ["file", header.file],
    ["device", header.device + (header.device_id ? ` (${header.chipset}, device ${header.device_id})` : ` (${header.chipset})`)],
    ["modelled", header.modelled ? "yes: the GPU is a model, not hardware" : null],
    ["topology", header.eus ? `${header.slices} slices, ${header.subslices} subslices, ${header.eus} EUs` : null],
    ["metric set", `${header.set.symbol}  ${header.set.name}  ${header.set.uuid}`],
    ["set's file", header.set.file],
    ["recorded set", header.recorded_uuid && header.recorded_uuid.toLowerCase() !== header.set.uuid.toLowerCase()
      ? `${header.recorded_uuid}: another one, so counters of programmed events may differ` : null],
    ["passes", header.passes > 1 ? `${header.passes}, in turn: each counter covers a part of the time` : null],
    ["layout", header.layout],
    ["reports", header.reports === undefined ? null : formatCount(header.reports)],
    ["length", formatTime(header.duration_ns)],
    ["exported part", page.model.from > 0 || page.model.to < header.duration_ns
      ? `${formatTime(page.model.from)} to ${formatTime(page.model.to)}` : null],
    ["period", header.period_ns ? formatTime(header.period_ns) : null],
    ["timestamp", `${formatQuantity(header.timestamp_hz, "hz")}`],
    ["CPU time of the start", header.cpu_start_ns ? `${header.cpu_start_ns} ns (CLOCK_MONOTONIC)` : null],
    ["detail", header.deltas_per_bucket > 1
      ? `${formatCount(header.buckets)} points of ${header.deltas_per_bucket} deltas each, with minimum, mean and maximum`
      : "every delta"],
    ["not on this GPU", header.counters.filter((counter) => counter.state !== "ok")
      .map((counter) => counter.symbol).join(", ") || null],
    ["provenance", header.provenance],
    ["written by", `tally ${header.tally}`],
  ];
  document.getElementById("recording-body").replaceChildren(...rows.filter(([, text]) => text)
    .flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
}

/* How much of the time each verdict covers. */
function adviceShares(advice, ns) {
  const shares = new Map();
  for (const one of advice) {
    const limit = one.limit || "no rule holds";
    shares.set(limit, (shares.get(limit) || 0) + one.ns);
  }
  const judged = [...shares.values()].reduce((sum, one) => sum + one, 0);
  if (ns - judged > 1e-3 * ns)
    shares.set("not judged, between phases", ns - judged);
  const text = [...shares].map(([limit, share]) => `${(100 * share / ns).toFixed(1)} % ${limit}`).join(", ");
  return element("div", { class: "advice none" }, element("p", {}, element("span", { class: "soft" }, `total, ${formatTime(ns)}: `), text));
}

/* Advice of the header: what limits the GPU, by phase and in total, with numbers, rule and source. */
function drawAdvice(page) {
  const { header } = page.model, section = document.getElementById("advice");
  const advice = header.advice || [];
  section.hidden = !advice.length && !header.advice_error;
  if (section.hidden)
    return;
  const body = document.getElementById("advice-body");
  body.replaceChildren(...advice.map((one) => element("div", { class: one.limit ? "advice" : "advice none" },
    element("p", {}, element("span", { class: "soft" }, `${one.by === "total" ? "total" : `${one.by} ${one.key}`}, ${formatTime(one.ns)}: `),
      element("b", {}, one.limit ? `limited by ${one.limit}` : "no rule holds: nothing that is counted limits clearly")),
    one.says ? element("p", {}, one.says) : null,
    one.numbers ? element("p", { class: "number" }, one.numbers) : null,
    one.rule ? element("p", { class: "soft" }, `Rule ${one.rule}: ${one.when}. Source: ${one.source}`) : null,
    one.not_checked ? element("p", { class: "soft" }, `Not checked: ${one.not_checked}`) : null)));
  if (advice.some((one) => one.by === "phase"))
    body.append(adviceShares(advice, page.model.total.ns));
  if (header.advice_error)
    body.append(element("p", { class: "notice" }, header.advice_error));
}

/* The numbers behind the pinned point: the selected counter's equation over its raw counters. */
function drawPoint(page) {
  const { model, pinned, selected } = page, body = document.getElementById("point-body");
  const counter = selected && model.bySymbol.get(selected);
  if (!counter) {
    body.replaceChildren(element("p", { class: "soft" }, "Click a timeline."));
    return;
  }
  const parts = [element("p", {}, element("b", {}, counter.symbol), ` ${counter.name === counter.symbol ? "" : counter.name}`,
    element("span", { class: "soft" }, ` ${counter.group ? counter.group + " · " : ""}${counter.units}`))];
  if (counter.description)
    parts.push(element("p", { class: "soft" }, counter.description));
  if (counter.equation)
    parts.push(element("pre", { class: "equation", id: "equation", title: counter.equation },
      `${counter.symbol} = ${counter.formula || infix(parseEquation(counter.equation))}`));
  if (pinned === null || pinned >= model.count) {
    parts.push(element("p", { class: "soft" }, "Click a timeline to see the numbers behind a point."));
    body.replaceChildren(...parts);
    return;
  }
  const per = model.header.deltas_per_bucket, first = (model.header.first_delta || 0) + pinned * per;
  const name = model.nameOf(pinned, 0);
  const length = model.end.numbers[pinned] - model.start.numbers[pinned];
  const context = model.nameOfContext(pinned);
  parts.push(element("p", { id: "point-where" },
    name ? `${name[0].toUpperCase()}${name.slice(1)}, at ` : "At ",
    page.live ? page.formatAt(model.start.numbers[pinned], 1e6) : formatTime(model.start.numbers[pinned]),
    `, ${formatTime(length)} long`,
    context && context !== "none" ? `, context ${context}${model.mixed.numbers[pinned] ? " and others" : ""}` : "",
    model.lost.numbers[pinned] ? `; ${per === 1 ? "lost" : `${model.lost.numbers[pinned]} of them lost`}` : ""));
  const level = model.level(counter, 0);
  const isLost = per === 1 && model.lost.numbers[pinned];
  const gap = per === 1 && !isLost && model.gapAt((model.start.numbers[pinned] + model.end.numbers[pinned]) / 2);
  if (gap) {
    parts.push(element("p", { class: "soft" }, `Nothing was recorded here (${gap.reason}), so there are no values, and nothing is lost.`));
  } else if (!isLost && counter.equation && model.slots.size) {
    parts.push(element("pre", { id: "tree" }, drawTree(model.evaluation(pinned, pinned), counter.symbol)));
    if (per > 1)
      parts.push(element("p", { class: "soft" },
        `The equation over the sums of these deltas. Their values have the mean ${formatWithUnits(level.mean[pinned], counter.units)}.`));
    parts.push(element("p", { class: "soft" }, "The same on the command line: ",
      element("code", {}, `tally explain ${model.header.set.symbol}.${counter.symbol} ${model.header.file}@${first}`)));
  } else if (!isLost && !model.slots.size) {
    parts.push(element("p", { id: "tree", class: "number" }, `${counter.symbol} = ${formatWithUnits(level.mean[pinned], counter.units)}`));
  } else if (isLost) {
    parts.push(element("p", { class: "soft" }, "Reports are missing here, so there are no values."));
  }
  body.replaceChildren(...parts);
}
