// SPDX-License-Identifier: MIT
"use strict";
/* The screen of a program in a terminal of 80 columns (tmux), and the same as a picture. */
const { execFileSync } = require("child_process");
const path = require("path");

const COLUMNS = 80, ROWS = 24;
const WIDTH = 8.4, HEIGHT = 17, MARGIN = 12; // of a character, and around all
const BACK = "#16191f", FORE = "#dfe3e8";
const COLORS = ["#4b5563", "#ff7b72", "#57c878", "#e3b341", "#6cb0ff", "#c297ff", "#4fd0dd", "#dfe3e8"];

/* Runs a command line of the shell until `pattern` is on its screen. Returns the screen, with its escape sequences. */
function screenOf(folder, command, pattern) {
  const tmux = (...args) => execFileSync("tmux", ["-S", path.join(folder, "tmux"), "-f", "/dev/null", ...args],
    { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8", TERM: "xterm-256color" } });
  tmux("new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), command);
  try {
    const end = Date.now() + 300000;
    while (!pattern.test(tmux("capture-pane", "-p"))) {
      if (Date.now() > end)
        throw new Error(`${pattern} is not on the screen of ${command}:\n${tmux("capture-pane", "-p")}`);
      execFileSync("sleep", ["0.1"]);
    }
    return tmux("capture-pane", "-p", "-e");
  } finally {
    tmux("kill-server");
  }
}

/* Splits lines with escape sequences into cells of one character each. */
function cellsOf(text) {
  let style = {};
  return text.split("\n").slice(0, ROWS).map((line) => {
    const cells = [];
    for (const part of line.match(/\x1b\[[\d;]*m|[^]/gu) || []) {
      if (!part.startsWith("\x1b")) {
        cells.push({ ...style, character: part });
        continue;
      }
      for (const code of part.slice(2, -1).split(";").map(Number)) {
        if (code === 0)
          style = {};
        else if (code === 1)
          style = { ...style, bold: true };
        else if (code === 2)
          style = { ...style, dim: true };
        else if (code === 7)
          style = { ...style, reverse: true };
        else if (code >= 30 && code <= 37)
          style = { ...style, color: COLORS[code - 30] };
        else if (code === 39)
          style = { ...style, color: undefined };
      }
    }
    return cells;
  });
}

const round = (number) => Number(number.toFixed(2));
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/* Blocks are rectangles, so that they join in any font: eighths from below, and the shade. */
function block(character, x, y, wide, color) {
  const code = character.codePointAt(0), shade = code === 0x2592;
  if (!shade && (code < 0x2581 || code > 0x2588))
    return null;
  const tall = shade ? HEIGHT : (code - 0x2580) / 8 * HEIGHT;
  return `<rect x="${round(x)}" y="${round(y + HEIGHT - tall)}" width="${round(wide)}" height="${round(tall)}" fill="${color}"${shade ? ' opacity="0.5"' : ""}/>`;
}

/* A screen as SVG. */
function pictureOf(screen) {
  const width = COLUMNS * WIDTH + 2 * MARGIN, height = ROWS * HEIGHT + 2 * MARGIN, parts = [];
  cellsOf(screen).forEach((cells, row) => {
    const y = MARGIN + row * HEIGHT;
    for (let i = 0; i < cells.length;) {
      const { character, bold, dim, reverse, color } = cells[i], x = MARGIN + i * WIDTH;
      if (block(character, 0, 0, 0, "")) {
        const first = i;
        while (i < cells.length && cells[i].character === character && cells[i].color === color)
          i++;
        parts.push(block(character, x, y, (i - first) * WIDTH, color || FORE));
        continue;
      }
      let text = "";
      for (; i < cells.length && !block(cells[i].character, 0, 0, 0, "") &&
        ["bold", "dim", "reverse", "color"].every((key) => cells[i][key] === { bold, dim, reverse, color }[key]); i++)
        text += cells[i].character;
      if (reverse)
        parts.push(`<rect x="${round(x)}" y="${y}" width="${round(text.length * WIDTH)}" height="${HEIGHT}" fill="${color || FORE}"/>`);
      for (const words of text.matchAll(/\S+( \S+)*/g)) // viewers drop spaces
        parts.push(`<text x="${round(x + words.index * WIDTH)}" y="${y + 13}" textLength="${round(words[0].length * WIDTH)}" ` +
          `fill="${reverse ? BACK : color || FORE}"${bold ? ' font-weight="bold"' : ""}${dim ? ' opacity="0.6"' : ""}>${escaped(words[0])}</text>`);
    }
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13.5">\n` +
    `<rect width="${width}" height="${height}" rx="8" fill="${BACK}"/>\n${parts.join("\n")}\n</svg>\n`;
}

module.exports = { pictureOf, screenOf };
