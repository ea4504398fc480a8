// SPDX-License-Identifier: MIT
"use strict";
/* The live page of `tally serve` in a browser. */
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");
const { TALLY, check, equal, folder, lines, point, reading, run, screenshots, settled, tally, visit } = require("./browser.js");

/* Starts a server; returns it when it listens. */
function serve(port, ...args) {
  const process = spawn(TALLY, ["serve", "--listen", `127.0.0.1:${port}`, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let text = "";
    process.stderr.on("data", (data) => {
      text += data;
      const ready = text.match(/serving (http:\/\/\S+:(\d+)\/)/);
      if (ready)
        resolve({ url: ready[1], port: Number(ready[2]), end: () => end(process) });
    });
    process.on("exit", (code) => reject(new Error(`exit ${code}: ${text}`)));
  });
}

function end(process) {
  return new Promise((resolve) => {
    process.on("exit", resolve);
    process.kill("SIGTERM");
  });
}

async function served(args, test) {
  const server = await serve(0, ...args);
  try {
    await test(server);
  } finally {
    await server.end();
  }
}

function status(page, pattern) {
  return page.waitForFunction((text) => new RegExp(text).test(document.getElementById("subtitle").textContent), pattern);
}

function more(page, count) {
  return page.waitForFunction((n) => window.tallyPage && tallyPage.model.count >= n, count);
}

/* The history of a device by the API. */
async function historyOf(server, device = 0) {
  const get = async (path) => (await fetch(`${server.url}api/devices/${device}${path}`)).json();
  const about = await get(""), { rows } = await get("/history");
  return { about, rows, symbols: about.counters.map((counter) => counter.symbol) };
}

const view = (page) => page.evaluate(() => [tallyPage.view.from, tallyPage.view.to]);

/* Pauses; returns the number of rows up to the end of what is visible. Others are appended meanwhile. */
async function pause(page) {
  await page.keyboard.press("f");
  await page.waitForFunction(() => !tallyPage.follows);
  return page.evaluate(() => tallyPage.model.bucketAt(tallyPage.view.to - 1) + 1);
}

/* Checks that a row of the page, which must be visible, has the value that the API has. */
async function compareAt(page, server, symbol, bucket) {
  const ns = await page.evaluate((b) => (tallyPage.model.start.numbers[b] + tallyPage.model.end.numbers[b]) / 2, bucket);
  const [from, to] = await view(page);
  check(from <= ns && ns <= to, `row ${bucket} is visible`);
  let got = {};
  for (let i = 0; i < 100 && got.value === undefined; i++) { // a pointer that jumps may be outside for a moment
    await page.mouse.move(5, 5);
    await point(page, symbol, ns);
    got = await reading(page, symbol);
  }
  const t = await page.evaluate((b) => Math.round(tallyPage.model.end.numbers[b] / 1e6) + tallyPage.model.originMs, got.bucket);
  const { rows, symbols } = await historyOf(server);
  const row = rows.find((one) => one.t === t);
  check(row, `a row that ends at ${t}`);
  const value = row.v[symbols.indexOf(symbol)];
  equal([got.level, got.value], [0, value === null ? "" : String(value)], `${symbol} at ${t}`);
  return value;
}

const tests = {
  async values_arrive_and_are_those_of_the_api() {
    await served(["-d", "sim:icl", "-d", "sim:g92", "--workload", "contexts"], (server) => visit(server.url, async (page) => {
      await status(page, "counting.*RenderBasic");
      await more(page, 30);
      check(await page.locator("#modelled").isVisible() && await page.locator("#library").isHidden(), "modelled, with charts");
      check(await page.locator(".chart .uplot").count() >= 4, "charts by uPlot");
      const ends = await page.evaluate(() => {
        const { model } = tallyPage;
        return [...Array(model.count).keys()].map((b) => [model.start.numbers[b], model.end.numbers[b]]);
      });
      check(ends.every(([start, end], i) => start < end && (!i || start === ends[i - 1][1])), "no row is missing or doubled");
      const count = await pause(page); // what is looked at does not move
      for (const back of [4, 12, 20])
        for (const symbol of ["GpuBusy", "EuActive", "AvgGpuCoreFrequency"])
          check(await compareAt(page, server, symbol, count - back) > 0, `${symbol} is above zero`);
      check(/0x5000 \d+ %/.test(await page.textContent("#readout")), await page.textContent("#readout"));
      await page.keyboard.press("f");
      await page.waitForFunction(() => Number(document.querySelector("#counters label[data-symbol=GpuBusy] b").dataset.value) > 0);
      await page.selectOption("#device", "1");
      await status(page, "counting.*Overview");
      await more(page, 5);
      equal(await page.evaluate(() => tallyPage.model.header.file), "sim:g92");
      await page.selectOption("#device", "0");
      await more(page, 30); // its past is still there
      equal(await page.evaluate(() => tallyPage.model.gaps), [], "gaps of the device");
    }));
  },

  async search_and_the_summary() {
    await served(["-d", "sim:icl"], (server) => visit(server.url, async (page) => {
      await more(page, 10);
      await page.keyboard.press("/");
      await page.keyboard.type("gpubusy");
      equal(await page.$$eval("#counters label:not([hidden])", (labels) => labels.map((label) => label.dataset.symbol)), ["GpuBusy"]);
      await page.keyboard.press("Escape");
      await page.click("#choose-none");
      await page.fill("#search", "stall");
      await page.press("#search", "Enter");
      equal(await page.$$eval(".chart", (charts) => charts.map((chart) => chart.dataset.symbol)), ["EuStall"]);
      await page.selectOption("#scope", "total");
      await page.waitForFunction(() => {
        const { total } = tallyPage.model, i = tallyPage.model.counters.findIndex((counter) => counter.symbol === "GpuTime");
        const cell = document.querySelector("#summary-table tr[data-symbol=GpuTime] td[data-name=overall]");
        return total.statistics[i][0] > 0 && cell.dataset.value === String(total.statistics[i][0]);
      });
    }));
  },

  async what_is_looked_at_does_not_move() {
    await served(["-d", "sim:icl"], (server) => visit(server.url, async (page) => {
      await more(page, 30);
      const followed = await view(page);
      await more(page, 40);
      const moved = await view(page);
      check(moved[1] > followed[1] && Math.round(moved[1] - moved[0]) === 60e9, `a minute is followed: ${moved}`);
      const zoomed = await page.evaluate(() => {
        const { model } = tallyPage;
        tallyPage.show(model.start.numbers[5], model.end.numbers[20]);
        return [model.start.numbers[5], model.end.numbers[20]];
      });
      await more(page, 55);
      equal(await view(page), zoomed, "the zoomed part");
      equal(await page.textContent("#follow"), "Follow");
      await compareAt(page, server, "GpuBusy", 12);
      await page.mouse.move(5, 5);
      await page.click("#follow");
      const [, to] = await view(page);
      await page.waitForFunction((before) => tallyPage.view.to > before, to);
      await page.keyboard.press("+"); // half as much, and still the end
      await page.waitForFunction(() => tallyPage.view.to === tallyPage.model.to);
      const box = await page.locator(".chart .u-over").first().boundingBox();
      await page.mouse.move(box.x + box.width * 0.9, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.95, box.y + 20, { steps: 5 });
      await page.mouse.up();
      await settled(page);
      const dragged = await view(page);
      check(dragged[1] - dragged[0] < 5e9, `zoomed by dragging: ${dragged}`);
      await page.click("#follow");
      await page.click("#follow"); // pause
      const paused = await view(page), count = await page.evaluate(() => tallyPage.model.count);
      await more(page, count + 10);
      equal(await view(page), paused, "while paused");
    }));
  },

  async a_recording_is_made_by_the_controls() {
    const recordings = path.join(folder, "recordings");
    fs.mkdirSync(recordings);
    await served(["-d", "sim:icl", recordings], (server) => visit(server.url, async (page) => {
      await more(page, 3);
      await page.fill("#name", "a.i915-perf");
      await page.click("#record");
      await status(page, "^recording");
      check(await page.locator("#recorded").isVisible(), "the recording's badge");
      const rows = await page.evaluate(() => tallyPage.model.count);
      await more(page, rows + 8);
      check(await page.evaluate(() => tallyPage.model.gaps.some((gap) => gap.reason === "not counted")), "a gap between two sessions");
      await page.click("#record"); // ends it; counting continues
      await status(page, "^counting");
      await page.click("#count");
      await status(page, "^stopped");
      equal(await page.locator("#recordings-body td:first-child").allTextContents(), ["a.i915-perf"]);
      await page.fill("#name", "a.i915-perf"); // exists
      await page.click("#record");
      await page.waitForFunction(() => /File exists/.test(document.getElementById("error").textContent));
      await page.click("#count");
      await status(page, "^counting");
      const [opened] = await Promise.all([page.context().waitForEvent("page"), page.click("#recordings-body a[target]")]);
      const problems = [];
      opened.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
      await opened.waitForFunction(() => Number(document.body.dataset.drawn) > 0);
      equal(await opened.textContent("#file"), "a.i915-perf");
      check(await opened.locator(".chart .uplot").count() >= 4, "the page of the recording");
      equal(problems, [], "its problems");
    }, /409/));
    const info = lines("info", "-f", "jsonl", path.join(recordings, "a.i915-perf"));
    check(info[info.length - 1].reports > 100 && info[info.length - 1].error === null, JSON.stringify(info));
  },

  async losses_are_hatched_with_their_reason() {
    await served(["-d", "sim:skl", "--fault", "lossy"], (server) => visit(server.url, async (page) => {
      await page.waitForFunction(() => window.tallyPage && tallyPage.model.losses.length > 0);
      await page.keyboard.press("f");
      const loss = await page.evaluate(() => {
        const one = tallyPage.model.losses[0], length = Math.max(one.end_ns - one.start_ns, 1e6);
        tallyPage.show(one.start_ns - 3 * length, one.end_ns + 3 * length);
        return one;
      });
      await settled(page);
      await point(page, "GpuBusy", (loss.start_ns + loss.end_ns) / 2);
      check((await page.textContent("#readout")).includes(loss.reason), await page.textContent("#readout"));
      check(await page.evaluate(() => visibleLosses(tallyPage.model, tallyPage.model.losses, tallyPage.view, 0, 1000).length > 0), "it is visible");
      await page.waitForFunction((reason) => document.getElementById("losses-body").textContent.includes(reason), loss.reason);
    }));
  },

  async it_survives_a_restart_of_the_server() {
    let server = await serve(0, "-d", "sim:icl");
    try {
      await visit(server.url, async (page) => {
        await more(page, 10);
        await server.end();
        await status(page, "disconnected");
        equal(await page.textContent("#counters label[data-symbol=GpuBusy] b"), "-", "no value is current");
        const before = await page.evaluate(() => [tallyPage.model.count, tallyPage.model.to]);
        server = await serve(server.port, "-d", "sim:icl");
        await status(page, "^counting");
        await more(page, before[0] + 8);
        const { gaps, crossed, middle } = await page.evaluate((to) => {
          const { model } = tallyPage, gap = model.gaps[0];
          const drawn = tallyPage.shown.get("GpuBusy").uplot.data, i = drawn[0].findIndex((ns) => ns >= gap.start_ns);
          return { gaps: model.gaps.map((one) => [one.reason, one.start_ns === to, one.end_ns > to]), crossed: drawn[3][i],
            middle: (gap.start_ns + gap.end_ns) / 2 };
        }, before[1]);
        equal(gaps, [["server restarted", true, true]]);
        equal(crossed, null, "no line crosses the gap");
        const count = await pause(page);
        await point(page, "GpuBusy", middle);
        equal((await reading(page, "GpuBusy")).text, "server restarted");
        await compareAt(page, server, "GpuBusy", count - 3);
      });
    } finally {
      await server.end();
    }
  },

  /* As in a build that did not find uPlot: the page without that script. */
  async without_the_library_values_and_controls_work() {
    await served(["-d", "sim:icl"], (server) => visit(server.url, async (page) => {
      await more(page, 5);
      check(await page.locator("#library").isVisible(), "the notice");
      equal(await page.locator(".uplot").count(), 0, "charts");
      await page.waitForFunction(() => /\d %/.test(document.querySelector("#counters label[data-symbol=GpuBusy] b").textContent));
      check(/ %/.test(await page.textContent(".chart[data-symbol=GpuBusy] .chart-value")), "the latest value");
      await page.click("#count");
      await status(page, "^stopped");
    }, undefined, (context) => context.route((url) => url.pathname === "/", async (route) => {
      const answer = await route.fetch(), text = await answer.text();
      const body = text.replace(/<script>\/\*!\nuPlot[^]*?<\/script>/, "");
      check(body.length < text.length, "the library is in the page");
      await route.fulfill({ response: answer, body });
    })));
  },

  /* Rows of hours are a limited number. */
  async what_is_kept_is_limited() {
    await served(["-d", "sim:icl"], (server) => visit(server.url, async (page) => {
      await more(page, 5);
      await page.click("#count");
      await status(page, "^stopped");
      const kept = await page.evaluate(async () => {
        const { model } = tallyPage, values = model.last.v, counts = [];
        for (let i = 0; i < 40000; i++) {
          const { n, t, session } = model.last;
          model.append({ n: n + 1, from: t, t: t + 100, session, lost: 0, contexts: [["idle", 1]], v: values,
            losses: i % 7 ? [] : [{ reason: "report-lost", records: 1, from: t, to: t + 100 }] }, model.server);
          if (i % 10 === 0)
            tallyPage.refresh();
          if (i % 10000 === 9999)
            counts.push([model.count, model.losses.length, model.shares.length, model.start.numbers.length]);
        }
        return counts;
      });
      check(kept.every(([rows, losses, shares, numbers]) => rows < 3200 && losses < 500 && shares === rows && numbers < 8192), JSON.stringify(kept));
    }));
  },

  async a_token_is_kept() {
    const token = "0123456789abcdef0123";
    await served(["-d", "sim:icl", "--token", token], (server) => visit(`${server.url}?token=${token}`, async (page) => {
      await more(page, 3);
      await page.click("#count");
      await status(page, "^stopped");
    }));
  },

  async pictures_are_made() {
    const recordings = path.join(folder, "pictures"), workload = path.join(folder, "seconds.yaml"), faults = path.join(folder, "overflow.yaml");
    fs.mkdirSync(recordings);
    const phase = (ms, context, busy, active, stalled) => `  - duration: ${ms} ms\n    context: ${context}\n    does:\n` +
      `      - {unit: gpu.busy, share: ${busy}}\n      - {unit: ps.active, share: ${active}}\n      - {unit: ps.stalled, share: ${stalled}}\n`;
    fs.writeFileSync(workload, "name: seconds\ndescription: Phases that a live page shows\nseed: 1\nphases:\n" +
      [[700, 2, 0.9, 0.6, 0.2], [400, 3, 0.5, 0.2, 0.25], [900, 2, 0.7, 0.45, 0.1], [300, 3, 0.2, 0.05, 0.1]]
        .map(([ms, context, ...shares]) => phase(ms, `0x${context}000`, ...shares)).join(""));
    fs.writeFileSync(faults, "name: overflow\ndescription: An overflow now and then\nseed: 1\nfaults:\n  - {at: 1500 ms, every: 2300 ms, do: overflow}\n");
    await served(["-d", "sim:icl", "--workload", workload, "--fault", faults, recordings], async (server) => {
      for (const [name, theme, width, height] of [["live-light", "light", 1200, 760], ["live-dark", "dark", 1200, 760], ["live-narrow", "light", 430, 900]])
        await visit(server.url, async (page) => {
          await more(page, 60);
          await page.evaluate(() => tallyPage.show(tallyPage.model.to - 6e9, tallyPage.model.to));
          await settled(page);
          await page.screenshot({ path: path.join(screenshots(), `${name}.png`) });
          check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: no sideways scrolling`);
        }, undefined, undefined, { colorScheme: theme, viewport: { width, height } });
    });
    for (const name of ["live-light", "live-dark", "live-narrow"])
      check(fs.statSync(path.join(screenshots(), `${name}.png`)).size > 5000, name);
  },
};

if (/^server: none/m.test(tally("version", "--build-options"))) {
  console.log("needs libmicrohttpd: the tests of the server's page are skipped");
} else {
  run(tests);
}
