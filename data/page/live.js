// SPDX-License-Identifier: MIT
"use strict";
/* The live page of `tally serve`: a page whose data arrive from the server, and the controls of its devices. */

const WINDOW_NS = 60e9; // that is followed at first
const RETRY_MS = 2000;
const POLL_MS = 2000;
const PICTURE_COUNTERS = 12; // that an svg has at most

/* What differs from the page of a recording: time goes on, and the end may be followed. */
class LivePage extends Page {
  get live() {
    return true;
  }

  load(model, chosen) {
    this.follows = true;
    super.load(model, chosen);
  }

  firstView() {
    return { from: this.model.to - WINDOW_NS, to: this.model.to };
  }

  fillTop() {
    document.getElementById("modelled").hidden = !this.model.header.modelled;
    this.fillLost();
  }

  fillRest() {
    drawLossTable(this);
  }

  firstScope() {
    return "visible";
  }

  /* The time of day. */
  formatAt(ns, step) {
    const { originMs } = this.model;
    if (originMs === null)
      return "";
    const date = new Date(originMs + Math.floor(ns / NS_PER_MS)), two = (number) => String(number).padStart(2, "0");
    const seconds = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    const decimals = Math.min(3, Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
    return decimals ? `${seconds}.${String(date.getMilliseconds()).padStart(3, "0").slice(0, decimals)}` : seconds;
  }

  /* The latest part may be longer than what there is yet. */
  show(from, to) {
    const { model } = this, length = to - from;
    if (this.follows && length > model.to - model.from) {
      this.setView(model.to - length, model.to);
      return;
    }
    super.show(from, to);
    this.setFollowing(this.view.to >= model.to - length / 1000);
  }

  /* While the end is followed, the keyboard changes how much of it is visible. */
  zoom(factor, at) {
    const { from, to } = this.view;
    if (this.follows && at === undefined)
      this.show(to - Math.max((to - from) * factor, 1e9), to);
    else
      super.zoom(factor, at);
  }

  setFollowing(on) {
    this.follows = on;
    const button = document.getElementById("follow");
    button.textContent = on ? "Pause" : "Follow";
    button.setAttribute("aria-pressed", String(on));
    if (!on && !this.cursor)
      for (const chart of this.shown.values())
        chart.read(null);
  }

  /* Pauses, or shows the end again. */
  toggleFollowing() {
    if (this.follows) {
      this.setFollowing(false);
      return;
    }
    const length = Math.min(this.view.to - this.view.from, Math.max(WINDOW_NS, this.model.to - this.model.from));
    this.setFollowing(true);
    window.tallyLive.catchUp();
    this.show(this.model.to - length, this.model.to);
  }

  /* Whether there is space for more rows: an older part that is looked at is not dropped for them. */
  hasSpace() {
    return this.follows || this.model.count < ROWS_MAX;
  }

  /* Shows rows that have been appended. */
  refresh() {
    const { model, view } = this, dropped = model.trim(this.follows ? Infinity : view.from);
    if (dropped && this.pinned !== null)
      this.pinned = this.pinned < dropped ? null : this.pinned - dropped;
    if (this.follows)
      this.show(model.to - (view.to - view.from), model.to);
    else
      this.redraw();
    this.soon("values", 250, () => this.fillValues());
    this.soon("rest", 1000, () => {
      this.fillLost();
      if (this.ledger !== model.losses.length)
        drawLossTable(this);
      this.ledger = model.losses.length;
      const isRead = this.summary.table.contains(document.activeElement);
      if (!isRead && (this.follows || this.summary.scope.value === "total"))
        this.summary.draw();
    });
  }

  /* Runs an action at most once in a time, unlike later(). */
  soon(name, ms, action) {
    this.waiting = this.waiting || new Set();
    if (this.waiting.has(name))
      return;
    this.waiting.add(name);
    setTimeout(() => {
      this.waiting.delete(name);
      action();
    }, ms);
  }

  /* The latest values, at the counters of the sidebar. */
  fillValues() {
    const { model } = this, b = model.count - 1;
    for (const label of document.querySelectorAll("#counters label")) {
      const counter = model.bySymbol.get(label.dataset.symbol), value = label.querySelector("b");
      const latest = b >= 0 && this.counting ? model.column(counter.mean).numbers[b] : NaN;
      const text = formatQuantity(latest, counter.units);
      if (value.textContent !== text)
        value.textContent = text;
      value.dataset.value = Number.isNaN(latest) ? "" : String(latest);
    }
  }

  drawNow() {
    super.drawNow();
    const { model } = this;
    if (this.cursor && this.cursor.cursor.left >= 0) // the time below a pointer that rests moves on
      this.readAt(this.cursor.posToVal(this.cursor.cursor.left, "x"));
    else if (model.count && this.follows)
      for (const chart of this.shown.values())
        chart.read((model.start.numbers[model.count - 1] + model.to) / 2);
  }

  hover(u) {
    if (!u || u.cursor.left >= 0)
      this.cursor = u;
    super.hover(u);
  }

  moreKeys() {
    return { f: () => this.toggleFollowing(), r: () => document.getElementById("name").focus() };
  }

  moreHelp() {
    return [["f", "pause, or follow the latest values"], ["r", "name a recording; Enter starts it"]];
  }
}

/* The connection to the server, its devices, and their controls. */
class Live {
  constructor() {
    this.token = new URLSearchParams(location.search).get("token");
    this.device = Number((location.hash.match(/^#device=(\d+)$/) || [])[1] || 0);
    this.about = null;
    this.models = new Map(); // by device, so that a device has its past when it is chosen again
    this.source = null;
    this.failures = 0; // of the stream
    this.pending = null;
    this.find("library").hidden = Boolean(window.uPlot);
    this.attach();
  }

  find(id) {
    return document.getElementById(id);
  }

  url(path, more) {
    const query = new URLSearchParams(more || {});
    if (this.token)
      query.set("token", this.token);
    const text = query.toString();
    return text ? `${path}?${text}` : path;
  }

  async call(path, more, options) {
    const answer = await fetch(this.url(path, more), options), body = await answer.json();
    if (!answer.ok)
      throw new Error(body.error);
    return body;
  }

  /* ---- devices ----------------------------------------------------------------------------- */

  async start() {
    const list = this.find("device");
    try {
      const { devices } = await this.call("/api/devices");
      list.replaceChildren(...devices.map((about) => element("option", { value: about.device },
        about.title ? `${about.title} (${about.name})` : about.name)));
      this.device = Math.min(this.device, devices.length - 1);
      list.value = String(this.device);
      this.choose(this.device);
      this.listRecordings();
      setInterval(() => this.poll(), POLL_MS);
    } catch (error) {
      this.showError(error.message);
      setTimeout(() => this.start(), RETRY_MS);
    }
  }

  choose(device) {
    this.device = device;
    history.replaceState(null, "", `#device=${device}`);
    this.about = null;
    this.connect();
  }

  /* Opens the stream of a device. What was missed before it opens is in the history. */
  connect() {
    clearTimeout(this.retry);
    if (this.source)
      this.source.close();
    const source = this.source = new EventSource(this.url(`/api/devices/${this.device}/events`));
    source.onopen = () => this.catchUp();
    source.onmessage = (event) => this.receive(JSON.parse(event.data), Number(event.lastEventId.split("-")[0]));
    source.onerror = () => {
      this.failures++;
      this.describeState("disconnected, trying again");
      if (source.readyState === EventSource.CLOSED && source === this.source)
        this.retry = setTimeout(() => this.connect(), RETRY_MS);
    };
  }

  /* Takes a row from the stream of a server. */
  receive(row, server) {
    const model = this.models.get(this.device), page = window.tallyPage, shown = page && page.model === model;
    if (shown && !page.hasSpace())
      return;
    if (!shown || !model.isNext(row, server)) {
      this.catchUp();
      return;
    }
    model.append(row, server);
    page.counting = true;
    page.refresh();
  }

  /* Gets the device and the rows after the last one; one request at a time. */
  catchUp() {
    if (!this.pending) {
      const device = this.device;
      this.pending = this.load(device).catch((error) => {
        this.shownError = null; // until the next answer
        this.showError(error.message);
      }).finally(() => { this.pending = null; });
    }
    return this.pending;
  }

  async load(device) {
    const about = await this.call(`/api/devices/${device}`);
    if (device !== this.device || !about.counters.length) { // it has not counted yet, or another one was chosen
      if (device === this.device)
        this.describe(about);
      setTimeout(() => this.catchUp(), device === this.device ? POLL_MS : 0);
      return;
    }
    let model = this.models.get(device);
    const same = model && model.fits(about);
    const { server_ms: server, rows } = await this.call(`/api/devices/${device}/history`,
      same && model.last ? { after: model.last.n, server: model.server } : {});
    if (device !== this.device)
      return;
    if (server !== about.server_ms) { // restarted between both answers
      setTimeout(() => this.catchUp(), 0);
      return;
    }
    const wasSet = same && server !== model.server && rows.length && model.last && rows[0].t <= model.last.t;
    if (!same || wasSet) { // other counters, or the clock was set back
      model = new LiveModel(about);
      this.models.set(device, model);
    }
    const page = window.tallyPage, shown = page && page.model === model;
    if (!shown || page.hasSpace())
      rows.forEach((row) => model.append(row, server));
    model.describe(about);
    if (!page)
      window.tallyPage = new LivePage(model);
    else if (!shown)
      page.load(model, [...page.shown.keys()]);
    this.describe(about);
    window.tallyPage.refresh();
  }

  async poll() {
    const { device, failures } = this;
    try {
      const about = await this.call(`/api/devices/${device}`);
      if (device !== this.device || failures !== this.failures) // of a server that has ended meanwhile
        return;
      const model = this.models.get(device);
      if (model && model.fits(about) && model.server === about.server_ms)
        model.describe(about);
      this.describe(about);
    } catch {
      this.describeState("disconnected, trying again");
    }
  }

  /* ---- what is shown of a device ------------------------------------------------------------- */

  describeState(text) {
    this.find("subtitle").textContent = text;
    if (window.tallyPage && text.startsWith("disconnected")) {
      window.tallyPage.counting = false;
      window.tallyPage.fillValues();
    }
  }

  describe(about) {
    const parts = [about.file ? "recording" : about.state, about.set, `${formatCount(about.reports)} reports`];
    if (about.missing_reports)
      parts.push(`${formatCount(about.missing_reports)} lost`);
    if (about.period_ns)
      parts.push(`every ${formatTime(about.period_ns)}`);
    const counts = about.state === "counting";
    if (counts && about.sample_age_ms > 5000)
      parts.push(`no report for ${formatTime(about.sample_age_ms * NS_PER_MS)}`);
    this.about = about;
    this.describeState(parts.filter((part) => part).join("  ·  "));
    document.title = `${about.file ? "● " : ""}${about.title || about.name} – Tally`;
    const badge = this.find("recorded");
    badge.hidden = !about.file;
    badge.textContent = about.file ? `● ${about.file}, ${formatQuantity(about.bytes, "bytes")}` : "";
    this.find("record").textContent = about.file ? "End recording" : "Record";
    this.find("record").classList.toggle("on", Boolean(about.file));
    this.find("name").disabled = Boolean(about.file);
    this.find("count").textContent = counts ? "Stop" : "Count";
    if (window.tallyPage) {
      window.tallyPage.counting = counts;
      if (!counts)
        window.tallyPage.fillValues();
    }
    if (about.error !== this.shownError) // one that stays is shown once
      this.showError(about.error);
    this.shownError = about.error;
  }

  showError(text) {
    const error = this.find("error");
    error.hidden = !text;
    error.textContent = text;
  }

  /* ---- recordings ---------------------------------------------------------------------------- */

  async listRecordings() {
    const { recordings } = await this.call("/api/recordings");
    const body = this.find("recordings-body"), formats = ["csv", "perfetto"];
    if (!recordings.length) {
      body.replaceChildren(element("p", { class: "soft" }, "There are none yet. Record writes to the folder of tally serve FOLDER."));
      return;
    }
    recordings.sort((a, b) => b.modified_ms - a.modified_ms);
    const link = (name, text, more, attributes) => element("a", { ...attributes,
      href: this.url(`/api/recordings/${encodeURIComponent(name)}`, more) }, text);
    const page = { target: "_blank", rel: "noopener", title: "Open as a page" };
    body.replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...["name", "size", "written", "download"].map((title, i) =>
        element("th", { class: i === 1 ? null : "text" }, title)))),
      element("tbody", {}, ...recordings.map(({ name, bytes, modified_ms: modified }) => element("tr", {},
        element("td", {}, window.uPlot ? link(name, name, { format: "html" }, page) : name),
        element("td", { class: "number" }, formatQuantity(bytes, "bytes")),
        element("td", { class: "text" }, new Date(modified).toLocaleString()),
        element("td", { class: "text links" }, link(name, "recording", {}, { download: name }),
          ...formats.map((format) => link(name, format, { format }, { download: `${name}.${format === "perfetto" ? "pftrace" : format}` })),
          element("a", { href: "#recordings", title: "A picture of the counters that are shown", onclick: (event) => this.openPicture(event, name) }, "svg")))))));
  }

  /* Opens a picture of a recording, of the counters that are shown. */
  openPicture(event, name) {
    event.preventDefault();
    const shown = window.tallyPage ? [...window.tallyPage.shown.keys()].slice(0, PICTURE_COUNTERS) : [];
    window.open(this.url(`/api/recordings/${encodeURIComponent(name)}`, { format: "svg", c: shown.join(",") }), "_blank", "noopener");
  }

  /* Starts or stops counting, and shows the new state. */
  async change(what, more) {
    this.showError("");
    try {
      const about = await this.call(`/api/devices/${this.device}/${what}`, more, { method: "POST", headers: { "X-Tally": "1" } });
      this.shownError = undefined;
      this.describe(about);
      await this.listRecordings();
    } catch (error) {
      this.showError(error.message);
    }
  }

  record() {
    if (this.about && this.about.file) {
      this.change("start"); // without a file: counting continues
      return;
    }
    const now = new Date(), name = this.find("name").value.trim();
    const stamp = new Date(now - now.getTimezoneOffset() * 60000).toISOString().slice(0, 19).replace(/:/g, "-");
    this.change("start", { file: name || `${stamp}.i915-perf` });
  }

  attach() {
    this.find("controls").addEventListener("submit", (event) => {
      event.preventDefault();
      document.activeElement.blur();
      this.record();
    });
    this.find("count").addEventListener("click", () => this.change(this.about && this.about.state === "counting" ? "stop" : "start"));
    this.find("follow").addEventListener("click", () => window.tallyPage && window.tallyPage.toggleFollowing());
    this.find("device").addEventListener("change", (event) => this.choose(Number(event.target.value)));
  }
}

window.tallyLive = new Live();
window.tallyLive.start();
