// SPDX-License-Identifier: MIT
"use strict";
/* Numbers as the tables of tally report have them (src/sink/number.c). */

const UNITS = {
  ns: { shown: "s", step: 1000, prefixes: ["n", "µ", "m", ""] },
  us: { shown: "s", step: 1000, prefixes: ["µ", "m", ""] },
  hz: { shown: "Hz", step: 1000, prefixes: ["", "k", "M", "G"] },
  bytes: { shown: "B", step: 1024, prefixes: ["", "Ki", "Mi", "Gi", "Ti"] },
  percent: { shown: "%", step: 0, prefixes: [""] },
};
const PLAIN = { shown: "", step: 1000, prefixes: ["", "k", "M", "G", "T"] };

/* Four significant digits, a prefix and the unit; "-" if there is no value. */
function formatQuantity(value, units) {
  if (value === null || value === undefined || Number.isNaN(value))
    return "-";
  const unit = UNITS[units] || PLAIN;
  let shown = value, prefix = 0;
  while (unit.step && Math.abs(shown) >= unit.step - 0.05 && prefix + 1 < unit.prefixes.length) {
    shown /= unit.step;
    prefix++;
  }
  const magnitude = Math.abs(shown);
  const suffix = unit.prefixes[prefix] + unit.shown;
  if (magnitude >= 1e8)
    return value.toExponential(3) + (suffix ? " " + suffix : "");
  let decimals = magnitude >= 999.95 ? 0 : magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
  if (magnitude === Math.floor(magnitude) && prefix === 0)
    decimals = 0;
  if (!unit.step)
    decimals = 2;
  return shown.toFixed(decimals) + (suffix ? " " + suffix : "");
}

/* The same with the unit's name where it has no sign: "146.0 threads". */
function formatWithUnits(value, units) {
  const text = formatQuantity(value, units);
  return text === "-" || UNITS[units] || !units || units === "number" ? text : `${text} ${units}`;
}

/* The same, short, for axes: without zeros at the end. */
function formatAxis(value, units) {
  return formatQuantity(value, units).replace(/(\.\d*?)0+(?= |$)/, "$1").replace(/\.(?= |$)/, "");
}

function formatTime(ns) {
  return formatQuantity(ns, "ns");
}

/* A time: as many decimals as a step of this length needs. */
function formatMark(ns, step) {
  const size = Math.max(ns, step);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return (ns / unit).toFixed(decimals) + " " + name;
}

/* Distances of marks are 1, 2 or 5 times a power of ten; about `count` of them in the range. */
function markStep(range, count) {
  const rough = range / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  return Math.max(step, 1);
}

function marks(from, to, count) {
  const step = markStep(to - from, count);
  const found = [];
  for (let i = Math.ceil(from / step); i * step <= to; i++)
    found.push(i * step);
  return { step, found };
}

/* An integer with its digits in groups of three. */
function formatCount(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/* An element with attributes and children; texts become text nodes, never HTML. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key === "onclick")
      made.addEventListener("click", value);
    else if (value !== undefined && value !== null && value !== false)
      made.setAttribute(key, value === true ? "" : value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
