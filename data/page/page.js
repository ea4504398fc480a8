// SPDX-License-Identifier: MIT
"use strict";
/* The page: what is visible, which counters, and the keyboard. live.js extends it. */

const KEYS = [
  ["drag", "zoom into a part of the time"],
  ["double click, 0", "show everything"],
  ["Ctrl + wheel, + and -", "zoom"],
  ["Shift + drag, ← and →", "move"],
  ["click", "show the numbers behind a point"],
  [", and .", "the point before or after"],
  ["[ and ]", "the loss before or after"],
  ["/", "search counters; Enter shows the first, Esc clears"],
  ["t", "dark or light"],
  ["?", "this help"],
];
const CHARTS_AT_FIRST = 6;

class Page {
  constructor(model) {
    this.dragged = false;
    this.shown = new Map(); // charts by symbol
    this.charts = document.getElementById("charts");
    this.strip = new Strip(this, document.getElementById("strip"));
    this.frame = 0;
    this.summary = new Summary(this);
    this.attach();
    this.load(model);
  }

  /* Shows other data: its usual counters, or those that are chosen already. */
  load(model, chosen) {
    for (const chart of this.shown.values())
      chart.remove();
    this.shown.clear();
    this.model = model;
    this.view = { ...this.firstView(), marks: [], step: 1 };
    this.pinned = null;
    this.hovered = null;
    this.boxes = new Map();
    document.getElementById("strip").dataset.bands = (model.workload !== null) + (model.marks !== null);
    this.fillTop();
    this.fillSidebar();
    this.summary.load();
    const known = (chosen || []).filter((symbol) => model.bySymbol.has(symbol));
    this.choose(known.length ? known : this.usual());
    const main = this.overviewCounter();
    this.selected = main ? main.symbol : null;
    this.drawRest();
    this.fillRest();
    this.show(this.view.from, this.view.to);
  }

  firstView() {
    return { from: this.model.from, to: Math.max(this.model.to, this.model.from + 1) };
  }

  /* What the summary is of at first. */
  firstScope() {
    return "total";
  }

  /* The parts below the summary. */
  fillRest() {
    drawLossTable(this);
    drawRecording(this);
    drawAdvice(this);
  }

  fillTop() {
    const { header } = this.model;
    const name = header.file.split("/").pop();
    document.getElementById("file").textContent = name;
    document.getElementById("modelled").hidden = !header.modelled;
    const parts = [header.device, header.set.name || header.set.symbol];
    if (header.reports !== undefined)
      parts.push(`${formatCount(header.reports)} reports`, formatTime(header.duration_ns));
    if (this.model.from > 0 || this.model.to < header.duration_ns)
      parts.push(`from ${formatTime(this.model.from)} to ${formatTime(this.model.to)}`);
    if (header.deltas_per_bucket > 1)
      parts.push(`${header.deltas_per_bucket} deltas a point`);
    document.getElementById("subtitle").textContent = parts.join("  ·  ");
    this.fillLost();
    if (header.error) {
      const error = document.getElementById("error");
      error.hidden = false;
      error.textContent = `Reading ended early: ${header.error}`;
    }
  }

  fillLost() {
    const lost = document.getElementById("lost"), count = this.model.losses.length;
    lost.hidden = !count;
    lost.textContent = count === 1 ? "1 loss" : `${formatCount(count)} losses`;
  }

  isStill(counter) {
    return !Array.isArray(counter.mean);
  }

  /* The counters to show at first: busy shares and the frequency, before others; those that change. */
  usual() {
    const wanted = [/^GpuBusy$|^Busy$/i, /EuActive$/i, /EuStall$/i, /Frequency$/i, /SamplersBusy|Sampler.*Busy/i];
    const changing = this.model.counters.filter((counter) => !this.isStill(counter));
    const candidates = changing.length ? changing : this.model.counters;
    const chosen = [];
    const defined = this.model.counters.filter((counter) => counter.mean !== null);
    for (const pattern of wanted) {
      // The frequency is shown even if it stayed the same.
      const found = (/Freq/.test(pattern.source) ? defined : candidates).find((counter) => pattern.test(counter.symbol) && !chosen.includes(counter.symbol));
      if (found)
        chosen.push(found.symbol);
    }
    const rest = candidates.filter((counter) => !/^(GpuTime|GpuCoreClocks)$/.test(counter.symbol));
    for (const pattern of [/percent/, /./])
      for (const counter of rest)
        if (chosen.length < CHARTS_AT_FIRST && pattern.test(counter.units) && !chosen.includes(counter.symbol))
          chosen.push(counter.symbol);
    return this.model.counters.map((counter) => counter.symbol).filter((symbol) => chosen.includes(symbol));
  }

  colorOf(counter) {
    return this.model.counters.indexOf(counter);
  }

  overviewCounter() {
    const shown = [...this.shown.keys()].map((symbol) => this.model.bySymbol.get(symbol));
    return shown.find((counter) => counter.units === "percent") || shown[0] || this.model.counters[0];
  }

  plotWidth() {
    return Math.max(50, this.charts.clientWidth - LEFT - RIGHT);
  }

  /* ---- counters ---------------------------------------------------------------------------- */

  fillSidebar() {
    const { model } = this, list = document.getElementById("counters");
    list.replaceChildren();
    const groups = new Map();
    for (const counter of model.counters) {
      const name = counter.group || "Counters";
      groups.set(name, [...(groups.get(name) || []), counter]);
    }
    for (const [name, counters] of groups) {
      const labels = counters.map((counter) => {
        const box = element("input", { type: "checkbox" });
        box.addEventListener("change", () => this.toggle(counter.symbol, box.checked));
        this.boxes.set(counter.symbol, box);
        const overall = model.total && model.total.statistics ? model.total.statistics[counter.chosen][0] : null;
        const label = element("label", { "data-symbol": counter.symbol, title: `${counter.name}\n${counter.description}`,
          class: this.isStill(counter) && !counter.mean ? "still" : null },
        box, element("span", {}, counter.symbol),
        element("b", { class: "number" }, formatQuantity(overall, counter.units)));
        return label;
      });
      list.append(element("details", { open: true }, element("summary", {}, name), ...labels));
    }
  }

  matches(counter, words) {
    const text = [counter.symbol, counter.name, counter.description, counter.group].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  }

  search(text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    this.found = [];
    for (const label of document.querySelectorAll("#counters label")) {
      const counter = this.model.bySymbol.get(label.dataset.symbol);
      label.hidden = !this.matches(counter, words);
      if (!label.hidden)
        this.found.push(counter.symbol);
    }
    for (const group of document.querySelectorAll("#counters details"))
      group.hidden = !group.querySelector("label:not([hidden])");
    return this.found;
  }

  /* Shows or hides the chart of a counter; charts keep the order of the set. */
  toggle(symbol, on) {
    if (on && !this.shown.has(symbol)) {
      const counter = this.model.bySymbol.get(symbol);
      this.shown.set(symbol, new Chart(this, counter, this.colorOf(counter)));
    } else if (!on && this.shown.has(symbol)) {
      this.shown.get(symbol).remove();
      this.shown.delete(symbol);
    }
    this.arrange();
  }

  choose(symbols) {
    for (const symbol of [...this.shown.keys()])
      if (!symbols.includes(symbol)) {
        this.shown.get(symbol).remove();
        this.shown.delete(symbol);
      }
    for (const symbol of symbols)
      if (!this.shown.has(symbol)) {
        const counter = this.model.bySymbol.get(symbol);
        this.shown.set(symbol, new Chart(this, counter, this.colorOf(counter)));
      }
    this.arrange();
  }

  arrange() {
    const order = this.model.counters.filter((counter) => this.shown.has(counter.symbol));
    this.shown = new Map(order.map((counter) => [counter.symbol, this.shown.get(counter.symbol)]));
    for (const chart of this.shown.values()) {
      this.charts.append(chart.root);
      this.watcher.observe(chart.root);
    }
    for (const [symbol, box] of this.boxes)
      box.checked = this.shown.has(symbol);
    document.getElementById("chosen").textContent = `${this.shown.size} of ${this.model.counters.length}`;
    document.getElementById("empty").hidden = this.shown.size > 0;
    this.redraw();
  }

  /* Makes a counter the one whose equation is shown. */
  select(symbol, scroll) {
    this.selected = symbol;
    if (!this.shown.has(symbol))
      this.toggle(symbol, true);
    this.drawRest();
    if (scroll)
      this.shown.get(symbol).root.scrollIntoView({ block: "center" });
  }

  /* ---- what is visible --------------------------------------------------------------------- */

  /* Shows a range of time, at least a few nanoseconds of the recording. */
  show(from, to) {
    const begin = this.model.from, end = Math.max(this.model.to, begin + 1);
    const range = Math.min(Math.max(to - from, Math.min(end - begin, 20)), end - begin);
    from = Math.min(Math.max(from, begin), end - range);
    this.setView(from, from + range);
  }

  setView(from, to) {
    this.view.from = from;
    this.view.to = to;
    const { step, found } = marks(this.view.from, this.view.to, this.plotWidth() / 110);
    this.view.step = step;
    this.view.marks = found;
    this.redraw();
  }

  showAll() {
    this.show(this.model.from, this.model.to);
  }

  /* A time as text, with the decimals that a step of this length needs. */
  formatAt(ns, step) {
    return ns ? formatMark(ns, step) : "0";
  }

  zoom(factor, at) {
    const { from, to } = this.view;
    const around = at === undefined ? this.middle() : at;
    this.show(around - (around - from) * factor, around + (to - around) * factor);
  }

  /* Where the keyboard zooms: the pinned point if it is visible, else the middle. */
  middle() {
    const { from, to } = this.view;
    if (this.pinned !== null) {
      const ns = (this.model.start.numbers[this.pinned] + this.model.end.numbers[this.pinned]) / 2;
      if (ns >= from && ns <= to)
        return ns;
    }
    return (from + to) / 2;
  }

  pan(ns) {
    this.show(this.view.from + ns, this.view.to + ns);
  }

  showLoss(loss) {
    const length = Math.max(loss.end_ns - loss.start_ns, 1);
    this.show(loss.start_ns - 2 * length, loss.end_ns + 2 * length);
    document.getElementById("timeline").scrollIntoView();
  }

  stepLoss(direction) {
    const at = (this.view.from + this.view.to) / 2;
    const losses = this.model.losses.filter((loss) => loss.start_ns !== undefined && loss.end_ns !== undefined);
    const middle = (loss) => (loss.start_ns + loss.end_ns) / 2;
    const found = direction > 0 ? losses.find((loss) => middle(loss) > at + 1)
      : losses.findLast((loss) => middle(loss) < at - 1);
    if (found)
      this.showLoss(found);
  }

  /* ---- points ------------------------------------------------------------------------------ */

  pin(ns, symbol) {
    if (!this.model.count)
      return;
    this.pinned = this.model.bucketAt(ns);
    if (symbol)
      this.selected = symbol;
    this.drawRest();
    this.redraw();
  }

  stepPin(direction) {
    if (!this.model.count)
      return;
    const from = this.pinned === null ? this.model.bucketAt((this.view.from + this.view.to) / 2) : this.pinned + direction;
    this.pinned = Math.min(Math.max(from, 0), this.model.count - 1);
    const start = this.model.start.numbers[this.pinned], end = this.model.end.numbers[this.pinned];
    if (start < this.view.from || end > this.view.to)
      this.pan(start - (this.view.from + this.view.to) / 2);
    this.drawRest();
    this.readAt((start + end) / 2);
    this.redraw();
  }

  /* Reads at the cursor of a chart; null: the pointer has left it. Others that lose their cursors then do not count. */
  hover(u) {
    if (u === null)
      this.readAt(null);
    else if (u.cursor.left >= 0)
      this.readAt(u.posToVal(u.cursor.left, "x"));
  }

  readAt(ns) {
    if (ns === this.hovered)
      return;
    this.hovered = ns;
    for (const chart of this.shown.values())
      chart.read(ns);
    const { model } = this, readout = document.getElementById("readout");
    if (ns === null || !model.count) {
      this.describeView();
      return;
    }
    const b = model.bucketAt(ns), context = model.nameOfContext(b), work = model.workAt(ns);
    const parts = [element("b", { class: "number" }, this.formatAt(ns, (this.view.to - this.view.from) / 500))];
    const first = this.shown.values().next().value, k = first ? first.shown.k : 0, name = model.nameOf(b >> k, k);
    if (name)
      parts.push(element("span", {}, name));
    parts.push(element("span", {}, `${formatTime(model.endOf(b >> k, k) - model.startOf(b >> k, k))} long`));
    if (context && context !== "none")
      parts.push(element("span", {}, `context ${context}`));
    if (work)
      parts.push(element("span", {}, work.phase ? `phase ${work.phase} of frame ${formatCount(work.frame)}` : `frame ${formatCount(work.frame)}`));
    const mark = model.markAt(ns), gap = model.gapAt(ns);
    if (mark)
      parts.push(element("span", {}, `mark ${mark}`));
    if (gap)
      parts.push(element("span", { class: "badge" }, gap.reason));
    const loss = model.losses.find((one) => one.start_ns !== undefined && one.end_ns !== undefined &&
      one.start_ns <= ns && ns <= one.end_ns);
    if (loss)
      parts.push(element("span", { class: "badge bad" }, loss.reason +
        (loss.reports === undefined ? "" : `: ${loss.exact ? "" : "about "}${formatCount(loss.reports)} reports missing`)));
    readout.replaceChildren(...parts);
  }

  describeView() {
    const { from, to } = this.view;
    document.getElementById("readout").replaceChildren(
      element("b", { class: "number" }, `${this.formatAt(from, (to - from) / 500)} to ${this.formatAt(to, (to - from) / 500)}`),
      element("span", {}, `${formatTime(to - from)} visible`));
  }

  /* ---- drawing ----------------------------------------------------------------------------- */

  redraw() {
    if (this.frame)
      return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  drawNow() {
    this.strip.draw();
    for (const chart of this.shown.values())
      if (chart.near)
        chart.draw();
    if (this.hovered === null || this.hovered === undefined)
      this.describeView();
    if (this.summary.scope.value === "visible")
      this.later("summary", () => this.summary.draw());
    document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
  }

  /* Runs an action once it has not been requested for a while. */
  later(name, action) {
    this.timers = this.timers || {};
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(action, 150);
  }

  drawRest() {
    for (const [symbol, chart] of this.shown)
      chart.root.classList.toggle("selected", symbol === this.selected);
    drawPoint(this);
    this.summary.draw();
  }

  recolor() {
    palette.cache.clear();
    this.redraw();
  }

  toggleTheme() {
    document.documentElement.dataset.theme = palette.dark() ? "light" : "dark";
    this.recolor();
  }

  /* ---- events ------------------------------------------------------------------------------ */

  attach() {
    const on = (id, action) => document.getElementById(id).addEventListener("click", action);
    on("zoom-in", () => this.zoom(0.5));
    on("zoom-out", () => this.zoom(2));
    on("zoom-all", () => this.showAll());
    on("theme", () => this.toggleTheme());
    on("help", () => this.help());
    on("choose-usual", () => this.choose(this.usual()));
    on("choose-all", () => this.choose(this.found && document.getElementById("search").value
      ? [...new Set([...this.shown.keys(), ...this.found])] : this.model.counters.map((counter) => counter.symbol)));
    on("choose-none", () => this.choose([]));
    const search = document.getElementById("search");
    search.addEventListener("input", () => this.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        search.value = "";
        this.search("");
        search.blur();
      } else if (event.key === "Enter" && this.search(search.value).length) {
        this.select(this.found[0], true);
      }
      event.stopPropagation();
    });
    addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    let width = 0;
    new ResizeObserver(() => {
      const now = this.charts.clientWidth;
      if (now === width)
        return;
      width = now;
      for (const chart of this.shown.values())
        chart.resize(now);
      if (this.model)
        this.show(this.view.from, this.view.to);
    }).observe(this.charts);
    // Charts are drawn when they come near the window.
    this.watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const chart = this.shown.get(entry.target.dataset.symbol);
        if (chart)
          chart.near = entry.isIntersecting;
      }
      this.redraw();
    }, { rootMargin: "300px" });
    let theme;
    addEventListener("beforeprint", () => {
      theme = document.documentElement.dataset.theme;
      document.documentElement.dataset.theme = "light";
      palette.cache.clear();
      for (const chart of this.shown.values())
        chart.near = true;
      this.drawNow();
    });
    addEventListener("afterprint", () => {
      if (theme)
        document.documentElement.dataset.theme = theme;
      else
        delete document.documentElement.dataset.theme;
      this.recolor();
    });
  }

  help() {
    document.getElementById("keys-body").replaceChildren(...KEYS.concat(this.moreHelp()).flatMap(([keys, text]) => [
      element("dt", {}, ...keys.split(/( and |, )/).map((part) => (/^( and |, )$/.test(part) ? part : element("kbd", {}, part)))),
      element("dd", {}, text)]));
    document.getElementById("keys").showModal();
  }

  moreHelp() {
    return [];
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("keys").open)
      return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox")
      return;
    const range = this.view.to - this.view.from;
    const actions = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      "0": () => this.showAll(),
      ArrowLeft: () => this.pan(-range / 5), ArrowRight: () => this.pan(range / 5),
      Home: () => this.show(this.model.from, this.model.from + range), End: () => this.show(this.model.to - range, this.model.to),
      ",": () => this.stepPin(-1), ".": () => this.stepPin(1),
      "[": () => this.stepLoss(-1), "]": () => this.stepLoss(1),
      "/": () => document.getElementById("search").focus(),
      t: () => this.toggleTheme(), "?": () => this.help(),
    };
    Object.assign(actions, this.moreKeys());
    if (!Object.hasOwn(actions, event.key))
      return;
    event.preventDefault();
    actions[event.key]();
  }

  moreKeys() {
    return {};
  }
}
