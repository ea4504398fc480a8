// SPDX-License-Identifier: MIT
"use strict";
/* The live page of `tally serve` in a browser. */
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");
const { TALLY, check, equal, folder, lines, run, screenshots, tally, visit } = require("./browser.js");

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
  return page.waitForFunction((text) => new RegExp(text).test(document.getElementById("status").textContent), pattern,
    { timeout: 30000 });
}

function more(page, count) {
  return page.waitForFunction((n) => rows.length >= n, count, { timeout: 30000 });
}

const tests = {
  async values_arrive_and_are_shown() {
    await served(["-d", "sim:icl", "-d", "sim:g92"], (server) => visit(server.url, async (page) => {
      await status(page, "Ice Lake.*counting");
      await more(page, 10);
      const shown = await page.evaluate(() => {
        const at = counters.findIndex((counter) => counter.symbol === "GpuBusy"), last = rows[rows.length - 1].v[at];
        show();
        return { text: document.querySelector(`.counter[data-at="${at}"] span`).textContent, value: last };
      });
      equal(shown.text, shown.value === null ? "–" :
        `${shown.value.toLocaleString("en", { maximumSignificantDigits: 4 })} %`, "GpuBusy");
      const numbers = await page.evaluate(() => rows.map((row) => row.n));
      equal(numbers, numbers.map((_, i) => numbers[0] + i), "no value is missing or doubled");
      await page.fill("#search", "gpubusy");
      equal(await page.locator(".counter b").allTextContents(), ["GpuBusy"]);
      await page.fill("#search", "");
      await page.selectOption("#device", "1");
      await status(page, "G92.*counting.*Overview");
      await more(page, 5);
    }));
  },

  async a_recording_is_made_by_the_buttons() {
    const recordings = path.join(folder, "recordings");
    fs.mkdirSync(recordings);
    await served(["-d", "sim:icl", recordings], (server) => visit(server.url, async (page) => {
      await more(page, 3);
      await page.fill("#file", "a.i915-perf");
      await page.click("#record");
      await status(page, "recording to a\\.i915-perf");
      await more(page, 5);
      await page.click("#stop");
      await status(page, "stopped");
      equal(await page.locator("#recordings a[download]").allTextContents(), ["a.i915-perf"]);
      await page.click("#record"); /* the file exists */
      await page.waitForFunction(() => /File exists/.test(document.getElementById("error").textContent));
      await page.click("#count");
      await status(page, "counting");
    }, /409/));
    const info = lines("info", "-f", "jsonl", path.join(recordings, "a.i915-perf"));
    check(info[info.length - 1].reports > 100 && info[info.length - 1].error === null, JSON.stringify(info));
  },

  async it_survives_a_restart_of_the_server() {
    let server = await serve(0, "-d", "sim:icl");
    try {
      await visit(server.url, async (page) => {
        await more(page, 5);
        await server.end();
        await status(page, "disconnected");
        const before = await page.evaluate(() => rows[rows.length - 1].t);
        server = await serve(server.port, "-d", "sim:icl");
        await status(page, "counting");
        await page.waitForFunction((t) => rows.length > 5 && rows[rows.length - 1].t > t, before, { timeout: 30000 });
      });
    } finally {
      await server.end();
    }
  },

  async a_token_is_kept() {
    const token = "0123456789abcdef0123";
    await served(["-d", "sim:icl", "--token", token], (server) => visit(`${server.url}?token=${token}`, async (page) => {
      await more(page, 3);
      await page.click("#stop");
      await status(page, "stopped");
    }));
  },

  async a_picture_is_made() {
    await served(["-d", "sim:icl", "--workload", "bottleneck"], async (server) => {
      await visit(server.url, async (page) => {
        await more(page, 60);
        await page.screenshot({ path: path.join(screenshots(), "serve.png") });
      });
    });
    check(fs.statSync(path.join(screenshots(), "serve.png")).size > 5000, "serve.png");
  },
};

if (/^server: none/m.test(tally("version", "--build-options"))) {
  console.log("needs libmicrohttpd: the tests of the server's page are skipped");
} else {
  run(tests);
}
