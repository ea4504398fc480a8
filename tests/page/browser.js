// SPDX-License-Identifier: MIT
"use strict";
/*
 * Shared by the tests of pages: a headless Chromium, pages of recordings, and totals as cmocka prints them. Needs
 * playwright-core ($TALLY_PLAYWRIGHT, a folder with node_modules) and Debian's chromium.
 */
const { execFileSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const SOURCE = process.env.TALLY_SOURCE, TALLY = process.env.TALLY_COMMAND;
const BUILD = path.dirname(TALLY);
const SAMPLES = path.join(SOURCE, "data/samples");
const { chromium } = require(path.join(process.env.TALLY_PLAYWRIGHT, "node_modules/playwright-core"));

const LIMIT_MS = 300000; // for what happens in a second, unless the machine is busy

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tally-page-"));
let browser;

/* Runs tally; returns what it printed. */
function tally(...args) {
  return execFileSync(TALLY, args, { encoding: "utf8", maxBuffer: 1 << 30,
    env: { ...process.env, XDG_DATA_HOME: "/nonexistent", NO_COLOR: "1" } });
}

function lines(...args) {
  return tally(...args).trim().split("\n").map((line) => JSON.parse(line));
}

function sample(name) {
  return path.join(SAMPLES, `${name}.i915-perf`);
}

/* Records a modelled GPU. */
function record(device, ...options) {
  const file = path.join(folder, `${device.replace(/\W/g, "-")}.i915-perf`);
  tally("record", "-q", "-d", device, "-o", file, ...options);
  return file;
}

/* Exports a recording; returns the page's path. */
function exportPage(recording, ...options) {
  const file = path.join(folder, path.basename(recording) + ".html");
  tally("export", "-f", "html", "-o", file, ...options, recording);
  return file;
}

/*
 * Opens a page file and calls `run` with it when it has been drawn. Errors on its console, exceptions
 * and requests to anything but the file itself fail the test.
 */
async function open(file, run, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...options });
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => !/^(file|data):/.test(request.url()) && problems.push(request.url()));
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  page.busyMs = async () => { // time of its thread on a processor
    const { metrics } = await session.send("Performance.getMetrics");
    return Math.round(1000 * metrics.find((one) => one.name === "TaskDuration").value);
  };
  const start = Date.now();
  await page.goto("file://" + file);
  await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0);
  page.openedMs = Date.now() - start;
  page.openedBusyMs = await page.busyMs();
  await settled(page);
  try {
    await run(page);
    equal(problems, [], "problems of the page");
  } finally {
    await context.close();
  }
}

/* Opens a page of a server and calls `run` with it. Errors on its console fail the test, but those of the network and
 * those that match `expected`. `prepare` is called with the context. */
async function visit(url, run, expected = /net::ERR/, prepare = null, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, colorScheme: "light", ...options });
  context.setDefaultTimeout(LIMIT_MS);
  if (prepare)
    await prepare(context);
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) &&
    !expected.test(message.text()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => new URL(request.url()).origin !== new URL(url).origin && problems.push(request.url()));
  try {
    await page.goto(url);
    await run(page);
    equal(problems, [], "problems of the page");
  } finally {
    await context.close();
  }
}

/* Waits until what was requested has been drawn. */
function settled(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
    setTimeout(done, 200)))));
}

/* Moves the pointer to a time in the chart of a counter. */
async function point(page, symbol, ns) {
  const place = await page.evaluate(([name, at]) => {
    const over = document.querySelector(`.chart[data-symbol="${name}"] .u-over`);
    over.scrollIntoView({ block: "center" });
    const box = over.getBoundingClientRect(), { from, to } = tallyPage.view;
    return { x: box.left + (at - from) / (to - from) * box.width, y: box.top + box.height / 2 };
  }, [symbol, ns]);
  await page.mouse.move(place.x, place.y);
  await settled(page);
  return place;
}

/* What is read at the pointer: value, as the page shows it, bucket and level. */
function reading(page, symbol) {
  return page.evaluate((name) => {
    const value = document.querySelector(`.chart[data-symbol="${name}"] .chart-value`);
    return { text: value.querySelector("b") ? value.querySelector("b").textContent : "", value: value.dataset.value,
      bucket: Number(value.dataset.bucket), level: Number(value.dataset.level) };
  }, symbol);
}

function equal(got, expected, what = "") {
  const a = JSON.stringify(got), b = JSON.stringify(expected);
  if (a !== b)
    throw new Error(`${what}: got ${a}, expected ${b}`);
}

function check(condition, what) {
  if (!condition)
    throw new Error(what);
}

/* Runs the tests of a file, or those that the command line names. */
async function run(tests) {
  const wanted = process.argv.slice(2);
  const failed = [];
  let passed = 0;
  browser = await chromium.launch({ executablePath: process.env.TALLY_CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--force-device-scale-factor=1"] });
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
      failed.push(name);
    }
  }
  await browser.close();
  fs.rmSync(folder, { recursive: true });
  console.log(`[  PASSED  ] ${passed} test(s).`);
  if (failed.length)
    console.log(`[  FAILED  ] ${failed.length} test(s), listed above.`);
  process.exitCode = failed.length ? 1 : 0;
}

/* Where pictures of the pages are put. */
function screenshots() {
  const made = path.join(BUILD, "screenshots");
  fs.mkdirSync(made, { recursive: true });
  return made;
}

module.exports = { BUILD, SAMPLES, TALLY, check, equal, exportPage, folder, lines, open, point, reading, record, run,
  sample, screenshots, settled, tally, visit };
