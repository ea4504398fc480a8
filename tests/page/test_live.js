// SPDX-License-Identifier: MIT
"use strict";
/*
 * The live page's model and connection without a browser and without time: a server that the test starts anew, whose
 * answers and events arrive in the orders that a busy machine has. Needs node only.
 */
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const PAGE = path.join(__dirname, "../../data/page");
const COUNTER = { symbol: "GpuBusy", name: "GPU Busy", group: "GPU", units: "percent", description: "", equation: "", overall: 1 };

/* A server: row n has the value n, and its rows follow each other. */
class Server {
  constructor(startMs) {
    this.server_ms = startMs;
    this.rows = [];
  }

  add(count) {
    for (; count; count--) {
      const n = this.rows.length + 1, from = this.server_ms + 100 * n;
      this.rows.push({ n, session: 1, from, t: from + 100, lost: 0, v: [this.server_ms + n] });
    }
  }

  about() {
    return { device: 0, name: "sim:icl", title: "", modelled: true, state: "counting", set: "S", file: "", error: "", session: 1,
      started_ms: this.server_ms, server_ms: this.server_ms, contexts: false, counters: [COUNTER], reports: this.rows.length,
      lost_deltas: 0, missing_reports: 0, period_ns: 0, sample_age_ms: 0, bytes: 0 };
  }

  answer(url) {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname === "/api/devices")
      return { devices: [this.about()] };
    if (pathname === "/api/devices/0")
      return this.about();
    if (pathname === "/api/recordings")
      return { recordings: [] };
    const known = searchParams.get("server"), after = Number(searchParams.get("after") || 0);
    return { server_ms: this.server_ms, rows: this.rows.slice(known && Number(known) !== this.server_ms ? 0 : after) };
  }
}

/* The scripts of the page, of which nothing is drawn. `world.server` answers. */
function load(world) {
  const node = () => new Proxy({ classList: { toggle() {} }, style: {}, dataset: {} }, {
    get: (target, key) => (key in target ? target[key] : () => node()),
    set: (target, key, value) => { target[key] = value; return true; },
  });
  const page = { model: null, shown: new Map(), hasSpace: () => true, load(model) { this.model = model; }, refresh() {}, fillValues() {} };
  const window = { tallyPage: page };
  const context = vm.createContext({
    window, console, URLSearchParams, atob, location: { search: "", hash: "" }, history: { replaceState() {} },
    document: { getElementById: node, createElement: node, querySelectorAll: () => [], title: "" },
    setTimeout: (action) => { world.later.push(action); }, clearTimeout() {}, setInterval() {},
    Page: class {},
    EventSource: class { constructor() { world.source = this; } close() {} },
    fetch: async (url) => {
      const body = JSON.parse(JSON.stringify(world.server.answer(url)));
      world.answered(url);
      return { ok: true, json: async () => body };
    },
  });
  const text = ["format.js", "equation.js", "model.js", "live_model.js", "live.js"]
    .map((name) => fs.readFileSync(path.join(PAGE, name), "utf8").replace('"use strict";', "")).join("\n");
  vm.runInContext(`"use strict";\n${text}`, context);
  return window;
}

/* Runs what has been requested, and what that requests. */
async function settle(world) {
  for (let i = 0; i < 5; i++) {
    await new Promise((done) => setImmediate(done));
    for (const action of world.later.splice(0))
      action();
  }
  await new Promise((done) => setImmediate(done));
}

function equal(got, expected, what) {
  const a = JSON.stringify(got), b = JSON.stringify(expected);
  if (a !== b)
    throw new Error(`${what}: got ${a}, expected ${b}`);
}

/* Counts `before` rows, starts the server anew, calls `run`, and checks that nothing is missing in the model. */
async function restart(before, run) {
  const first = new Server(1e12), second = new Server(1e12 + 60000);
  const world = { server: first, later: [], answered() {} };
  first.add(before);
  const window = load(world);
  await settle(world);
  world.source.onopen();
  await settle(world);
  const event = (row) => world.source.onmessage({ data: JSON.stringify(row), lastEventId: `${world.server.server_ms}-${row.n}` });
  await run({ world, first, second, event });
  await settle(world);
  const model = window.tallyPage.model, values = model.column(model.counters[0].mean).numbers.slice(0, model.count);
  const expected = [...first.rows.map((row) => row.v[0]), NaN, ...second.rows.map((row) => row.v[0])];
  equal([...values], expected, "values");
  equal(model.gaps.map((gap) => gap.reason), ["server restarted"], "gaps");
  for (let b = 1; b < model.count; b++)
    equal(model.start.numbers[b], model.end.numbers[b - 1], `start of ${b}`);
}

const tests = {
  /* The new server has counters, but no row yet. */
  async without_rows_at_first() {
    await restart(12, async ({ world, second, event }) => {
      world.server = second;
      world.source.onopen();
      await settle(world);
      for (let n = 1; n <= 3; n++) {
        second.add(1);
        event(second.rows[n - 1]);
        await settle(world);
      }
    });
  },

  /* The number of its first event is the next one of the server before. */
  async with_numbers_that_would_go_on() {
    await restart(12, async ({ world, second, event }) => {
      world.server = second;
      second.add(13);
      event(second.rows[12]);
      await settle(world);
    });
  },

  async with_more_rows_than_before() {
    await restart(12, async ({ world, second }) => {
      world.server = second;
      second.add(20);
      world.source.onopen();
      await settle(world);
    });
  },

  /* The device is described by one server, and the history comes from the next one. */
  async between_two_answers() {
    await restart(5, async ({ world, first, second }) => {
      first.add(1);
      second.add(9);
      world.answered = (url) => {
        if (url === "/api/devices/0")
          world.server = second;
      };
      world.source.onopen();
      await settle(world);
      first.rows.pop(); // which nothing has received
    });
  },
};

(async () => {
  let failed = 0, passed = 0;
  const wanted = process.argv.slice(2);
  for (const [name, test] of Object.entries(tests)) {
    if (wanted.length && !wanted.includes(name))
      continue;
    console.log(`[ RUN      ] ${name}`);
    try {
      await test();
      console.log(`[       OK ] ${name}`);
      passed++;
    } catch (error) {
      console.log(error.stack);
      console.log(`[  FAILED  ] ${name}`);
      failed++;
    }
  }
  console.log(`[  PASSED  ] ${passed} test(s).`);
  if (failed)
    console.log(`[  FAILED  ] ${failed} test(s), listed above.`);
  process.exitCode = failed ? 1 : 0;
})();
