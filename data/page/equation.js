// SPDX-License-Identifier: MIT
"use strict";
/* Equations of metric sets (src/metrics/equation.h, wide.c): integers are BigInt, doubles Number. */

const INTEGER_OPERANDS = new Set(["UDIV", "AND", "<<", ">>"]);
const DOUBLE_OPERANDS = new Set(["FDIV", "FMAX", "FRATIO"]);
const DOUBLE_RESULTS = new Set(["FADD", "FSUB", "FMUL", "FDIV", "FMAX", "FRATIO"]);
const SIGNS = {
  UADD: "+", FADD: "+", USUB: "−", FSUB: "−", UMUL: "×", FMUL: "×", UDIV: "/", FDIV: "/", FRATIO: "/",
  AND: "&", "<<": "<<", ">>": ">>", UGT: ">", UGTE: "≥", ULT: "<", ULTE: "≤", "&&": "and",
};
const STRENGTHS = { "+": 2, "−": 2, "×": 3, "/": 3 };

const asDouble = (value) => Number(value);
function asInteger(value) {
  if (typeof value === "bigint")
    return value;
  if (!(value > -(2 ** 63)))
    return 0n;
  if (value >= 2 ** 64)
    return (1n << 64n) - 1n;
  return BigInt.asUintN(64, BigInt(Math.trunc(value)));
}

/* The nodes of an equation in reverse Polish notation; the last one is the result. */
function parseEquation(text) {
  const nodes = [], stack = [];
  const words = text.split(/\s+/).filter((word) => word);
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (words[i + 2] === "READ") {
      nodes.push({ kind: "read", source: word, index: Number(words[i + 1]) });
      i += 2;
    } else if (word.startsWith("$")) {
      nodes.push({ kind: "name", name: word.slice(1) });
    } else if (/^(0x[0-9a-f]+|\d+)$/i.test(word)) {
      nodes.push({ kind: "number", value: BigInt(word) });
    } else if (/^[\d.]/.test(word)) {
      nodes.push({ kind: "number", value: Number(word) });
    } else {
      const right = stack.pop(), left = stack.pop();
      nodes.push({ kind: "operation", word, left, right });
    }
    stack.push(nodes.length - 1);
  }
  return nodes;
}

function operateIntegers(word, a, b) {
  switch (word) {
  case "UADD": case "FADD": return a + b;
  case "USUB": case "FSUB": return a >= b ? a - b : BigInt.asUintN(64, a - b);
  case "UMUL": case "FMUL": return a * b;
  case "UDIV": return b ? a / b : 0n;
  case "UMIN": return a < b ? a : b;
  case "AND": return a & b;
  case "<<": return b < 64n ? a << b : 0n;
  case ">>": return b < 64n ? a >> b : 0n;
  case "UGT": return BigInt(a > b);
  case "UGTE": return BigInt(a >= b);
  case "ULT": return BigInt(a < b);
  case "ULTE": return BigInt(a <= b);
  default: return BigInt(a && b ? 1 : 0);
  }
}

function operateDoubles(word, a, b) {
  switch (word) {
  case "UADD": case "FADD": return a + b;
  case "USUB": case "FSUB": return a - b;
  case "UMUL": case "FMUL": return a * b;
  case "FDIV": return b !== 0 ? a / b : 0;
  case "FRATIO": return b !== 0 ? a / b : NaN;
  case "UMIN": return a < b ? a : b;
  case "FMAX": return a > b ? a : b;
  case "UGT": return Number(a > b);
  case "UGTE": return Number(a >= b);
  case "ULT": return Number(a < b);
  case "ULTE": return Number(a <= b);
  default: return Number(a && b ? 1 : 0);
  }
}

function operate(word, left, right) {
  const doubles = DOUBLE_OPERANDS.has(word) ||
    (!INTEGER_OPERANDS.has(word) && (typeof left === "number" || typeof right === "number"));
  const result = doubles ? operateDoubles(word, asDouble(left), asDouble(right))
    : operateIntegers(word, asInteger(left), asInteger(right));
  return DOUBLE_RESULTS.has(word) ? asDouble(result) : asInteger(result);
}

/* Evaluates the counters of a set over sums of raw counters. */
class Evaluation {
  /* `sum` returns the sum of a slot as a Number, or undefined if the reports do not have it. */
  constructor(header, sum) {
    this.header = header;
    this.sum = sum;
    this.results = new Map();
  }

  /* The values of all nodes of a counter's equation, and whether it is defined. */
  counter(symbol) {
    if (this.results.has(symbol))
      return this.results.get(symbol);
    const counter = this.header.counters.find((one) => one.symbol === symbol);
    const nodes = parseEquation(counter.equation);
    const result = { counter, nodes, values: [], defined: true };
    this.results.set(symbol, result); // a set has no cycles; this ends one all the same
    for (const node of nodes)
      result.values.push(this.node(node, result));
    let last = result.values[result.values.length - 1];
    last = counter.type === "float" ? asDouble(last) : asInteger(last);
    result.value = last;
    result.defined &&= !Number.isNaN(last);
    return result;
  }

  node(node, result) {
    if (node.kind === "number")
      return node.value;
    if (node.kind === "read")
      return BigInt(Math.round(this.sum(this.header.sources[node.source] + node.index) ?? 0));
    if (node.kind === "name") {
      const variable = this.header.variables["$" + node.name];
      if (variable !== undefined)
        return BigInt(variable);
      const other = this.counter(node.name);
      result.defined &&= other.defined;
      return other.value;
    }
    const left = result.values[node.left], right = result.values[node.right];
    if ((node.word === "UDIV" || node.word === "FDIV") && asDouble(right) === 0)
      result.defined = false;
    return operate(node.word, left, right);
  }
}

/* An equation as people write it. */
function infix(nodes, at = nodes.length - 1) {
  const node = nodes[at];
  if (node.kind === "number")
    return String(node.value);
  if (node.kind === "read")
    return node.source.length > 1 ? node.source : node.source + node.index;
  if (node.kind === "name")
    return node.name;
  const sign = SIGNS[node.word];
  const part = (child, right) => {
    const text = infix(nodes, child);
    const inner = nodes[child].kind === "operation" ? SIGNS[nodes[child].word] : null;
    const weak = inner !== null && inner !== undefined &&
      ((STRENGTHS[inner] || 1) < (STRENGTHS[sign] || 1) || !STRENGTHS[sign] ||
       (right && (sign === "−" || sign === "/") && (STRENGTHS[inner] || 1) <= STRENGTHS[sign]));
    return weak ? `(${text})` : text;
  };
  if (!sign)
    return `${node.word === "UMIN" ? "min" : "max"}(${infix(nodes, node.left)}, ${infix(nodes, node.right)})`;
  return `${part(node.left, false)} ${sign} ${part(node.right, true)}`;
}

/* The tree of a counter's equation with its numbers, as tally explain draws it. */
function drawTree(evaluation, symbol) {
  const lines = [], drawn = new Set();
  const number = (value) => (typeof value === "bigint" ? String(value)
    : Number.isNaN(value) ? "not defined" : value.toFixed(6));
  const draw = (result, at, prefix, branch, below) => {
    const node = result.nodes[at], value = result.values[at];
    let name = node.word, children = [];
    if (node.kind === "number") {
      lines.push(prefix + branch + String(node.value));
      return;
    }
    if (node.kind === "read")
      name = node.source.length > 1 ? node.source : node.source + node.index;
    else if (node.kind === "name")
      name = "$" + node.name;
    else
      children = [[result, node.left], [result, node.right]];
    const isTop = at === result.nodes.length - 1 && prefix === "" && branch === "";
    const undefinedTop = isTop && !result.defined;
    lines.push(`${prefix}${branch}${name} = ${undefinedTop ? "not defined" : number(value)}`);
    if (node.kind === "name" && evaluation.header.variables["$" + node.name] === undefined &&
        !drawn.has(node.name)) {
      drawn.add(node.name);
      const other = evaluation.counter(node.name);
      children = [[other, other.nodes.length - 1]];
    }
    children.forEach(([from, child], i) => {
      const last = i + 1 === children.length;
      draw(from, child, prefix + below, last ? "└─ " : "├─ ", last ? "   " : "│  ");
    });
  };
  const result = evaluation.counter(symbol);
  draw(result, result.nodes.length - 1, "", "", "");
  return lines.join("\n");
}
