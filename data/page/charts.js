// SPDX-License-Identifier: MIT
"use strict";
/* Timelines: a chart for each counter, and the strip above them. */

const LEFT = 68, RIGHT = 14; // of the plots, CSS pixels; page.css has them too
const CHART_HEIGHT = 92;
const BAND = 21; // height of the phases or marks in the strip; page.css has it too
const FRAME_MIN = 12; // pixels between two marks of frames
const COLORS = [
  ["#1f6feb", "#6cb0ff"], ["#1a7f37", "#57c878"], ["#bc4c00", "#ff9d57"], ["#8250df", "#c297ff"],
  ["#0a7f8c", "#4fd0dd"], ["#bf3989", "#ff8ac4"], ["#7d6a00", "#dcc553"], ["#57606a", "#aab4c0"],
];

/* Colours of the style sheet, as canvases need them. */
const palette = {
  probe: null,
  cache: new Map(),
  dark() {
    return this.get("--dark-probe", "light-dark(#000000, #ffffff)") === "rgb(255, 255, 255)";
  },
  get(name, value) {
    if (!this.probe) {
      this.probe = element("span", { hidden: true });
      document.body.append(this.probe);
    }
    if (!this.cache.has(name)) {
      this.probe.style.color = value || `var(${name})`;
      this.cache.set(name, getComputedStyle(this.probe).color);
    }
    return this.cache.get(name);
  },
  counter(index) {
    return COLORS[index % COLORS.length][this.dark() ? 1 : 0];
  },
};

/* A pattern of diagonal lines for what was lost. */
function hatch(context, color) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const drawing = tile.getContext("2d");
  drawing.strokeStyle = color;
  drawing.lineWidth = 1.6;
  drawing.beginPath();
  for (const shift of [-8, 0, 8]) {
    drawing.moveTo(shift - 1, 9);
    drawing.lineTo(shift + 9, -1);
  }
  drawing.stroke();
  return context.createPattern(tile, "repeat");
}

/* The visible losses as pixels of a plot, at least 3 wide; neighbours that touch become one. */
function visibleLosses(model, losses, view, left, width) {
  const found = [];
  const scale = width / (view.to - view.from);
  for (const loss of losses) {
    if (loss.start_ns === undefined && loss.end_ns === undefined)
      continue;
    const start = loss.start_ns ?? model.from, end = loss.end_ns ?? model.to;
    if (end < view.from || start > view.to)
      continue;
    let x = left + (Math.max(start, view.from) - view.from) * scale;
    let wide = (Math.min(end, view.to) - Math.max(start, view.from)) * scale;
    if (wide < 3) {
      x -= (3 - wide) / 2;
      wide = 3;
    }
    const last = found[found.length - 1];
    if (last && x < last.x + last.width + 1) {
      last.width = Math.max(last.width, x + wide - last.x);
      last.losses.push(loss);
    } else {
      found.push({ x, width: wide, losses: [loss] });
    }
  }
  return found;
}

function reasonOf(losses) {
  const reasons = [...new Set(losses.map((loss) => loss.reason))];
  return reasons.join(", ");
}

/* Hatches what was lost, and in grey what was not counted. */
function drawLosses(context, model, view, left, top, width, height, ratio, label) {
  const area = { context, model, view, left, top, width, height, ratio, label };
  drawHatched(area, model.losses, "--bad", "--bad-back", "--hatch");
  drawHatched(area, model.gaps, "--soft", "--grid", "--gap");
}

function drawHatched({ context, model, view, left, top, width, height, ratio, label }, losses, color, back, lines) {
  const visible = visibleLosses(model, losses, view, left, width);
  if (!visible.length)
    return;
  const pattern = hatch(context, palette.get(lines));
  context.save();
  for (const gap of visible) {
    context.fillStyle = palette.get(back);
    context.globalAlpha = 0.45;
    context.fillRect(gap.x, top, gap.width, height);
    context.globalAlpha = 1;
    context.fillStyle = gap.width < 7 * ratio ? palette.get(lines) : pattern; // too narrow to be hatched
    context.fillRect(gap.x, top, gap.width, height);
    if (!label)
      continue;
    const text = reasonOf(gap.losses);
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    const needed = context.measureText(text).width;
    if (needed + 10 * ratio > gap.width)
      continue;
    const x = gap.x + gap.width / 2, y = top + height / 2;
    context.fillStyle = palette.get("--panel");
    context.fillRect(x - needed / 2 - 4 * ratio, y - 8 * ratio, needed + 8 * ratio, 16 * ratio);
    context.fillStyle = palette.get(color);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, x, y);
  }
  context.restore();
}

/* The chart of a counter. */
class Chart {
  constructor(page, counter, index) {
    this.page = page;
    this.counter = counter;
    this.index = index;
    this.value = element("span", { class: "chart-value number" });
    this.plot = element("div", { class: "chart-plot" });
    this.root = element("div", { class: "chart", "data-symbol": counter.symbol },
      element("div", { class: "chart-head" },
        element("button", { class: "chart-name", title: counter.description || counter.name,
          onclick: () => page.select(counter.symbol) }, counter.symbol),
        element("span", { class: "chart-title" }, counter.name === counter.symbol ? "" : counter.name),
        this.value,
        element("button", { class: "chart-close", title: "Hide this counter", "aria-label": `Hide ${counter.symbol}`,
          onclick: () => page.toggle(counter.symbol, false) }, "×")),
      this.plot);
    this.color = palette.counter(index);
    this.uplot = null;
    this.shown = { k: 0, first: 0, count: 0 };
  }

  /* The numbers of the visible buckets; null where there is no value. */
  numbers() {
    const { model, view } = this.page;
    const k = model.levelFor(view.from, view.to, Math.max(100, this.page.plotWidth() * 1.5));
    const level = model.level(this.counter, k);
    if (!model.count)
      return [[0], [null], [null], [null]];
    const first = Math.max(0, (model.bucketAt(view.from) >> k) - 1);
    const last = Math.min(level.count - 1, (model.bucketAt(view.to) >> k) + 1);
    const count = last - first + 1;
    const x = new Array(count + 1), mean = new Array(count + 1);
    const minimum = new Array(count + 1), maximum = new Array(count + 1);
    const hasBand = k > 0 || !model.isSingle();
    const defined = (number) => (Number.isNaN(number) ? null : number);
    for (let i = 0; i < count; i++) {
      const b = first + i;
      x[i] = model.startOf(b, k);
      mean[i] = defined(level.mean[b]);
      minimum[i] = hasBand && mean[i] !== null ? defined(level.minimum[b]) : null;
      maximum[i] = hasBand && mean[i] !== null ? defined(level.maximum[b]) : null;
    }
    x[count] = model.endOf(last, k);
    mean[count] = mean[count - 1];
    minimum[count] = minimum[count - 1];
    maximum[count] = maximum[count - 1];
    this.shown = { k, first, count };
    return [x, minimum, maximum, mean];
  }

  range() {
    const [, minimum, maximum, mean] = this.uplot ? this.uplot.data : this.numbers();
    let low = 0, high = -Infinity;
    for (let i = 0; i < mean.length; i++) {
      for (const value of [mean[i], maximum[i]])
        if (value !== null && value > high)
          high = value;
      for (const value of [mean[i], minimum[i]])
        if (value !== null && value < low)
          low = value;
    }
    if (this.counter.units === "percent" && high <= 100)
      high = 100;
    if (!(high > low))
      high = low + 1;
    if (this.counter.units === "percent")
      return [low, high];
    return [low < 0 ? low * 1.08 : 0, high + (high - low) * 0.08];
  }

  draw() {
    if (!window.uPlot) { // not in this build of the server
      this.plot.hidden = true;
      return;
    }
    if (this.uplot) {
      this.uplot.setData(this.numbers(), true);
      return;
    }
    const width = this.plot.clientWidth || this.page.charts.clientWidth;
    if (!width)
      return;
    const stepped = uPlot.paths.stepped({ align: 1 });
    const series = (fields) => ({ paths: stepped, points: { show: false }, spanGaps: false, ...fields });
    const page = this.page, units = this.counter.units;
    this.uplot = new uPlot({
      width, height: CHART_HEIGHT,
      padding: [7, RIGHT, 5, 0],
      legend: { show: false },
      cursor: {
        sync: { key: "tally", scales: ["x", null] },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        points: { show: false }, y: false,
        bind: { dblclick: () => () => { page.showAll(); return null; } },
      },
      scales: {
        x: { time: false, range: () => [page.view.from, page.view.to] },
        y: { range: () => this.range() },
      },
      axes: [
        { size: 0, gap: 0, ticks: { show: false }, values: (u, splits) => splits.map(() => ""),
          splits: () => page.view.marks, grid: { stroke: () => palette.get("--grid"), width: 1 } },
        { size: LEFT, gap: 6, ticks: { show: false }, font: "11px system-ui, sans-serif",
          stroke: () => palette.get("--soft"), grid: { stroke: () => palette.get("--grid"), width: 1 },
          space: 26, values: (u, splits) => splits.map((value) => formatAxis(value, units)) },
      ],
      series: [
        {},
        series({ stroke: "transparent", width: 0 }),
        series({ stroke: "transparent", width: 0 }),
        series({ stroke: () => palette.counter(this.index), width: 1.4 }),
      ],
      bands: [{ series: [2, 1], fill: () => palette.counter(this.index) + "3d" }],
      hooks: {
        drawClear: [(u) => drawLosses(u.ctx, page.model, page.view, u.bbox.left, u.bbox.top, u.bbox.width,
          u.bbox.height, devicePixelRatio, true)],
        draw: [(u) => this.drawFrames(u), (u) => this.drawPin(u)],
        setCursor: [(u) => page.hover(u)],
        setSelect: [(u) => {
          if (u.select.width < 4)
            return;
          const from = u.posToVal(u.select.left, "x"), to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          page.show(from, to);
        }],
      },
    }, this.numbers(), this.plot);
    this.uplot.over.addEventListener("click", (event) => {
      if (page.dragged)
        return;
      page.pin(this.uplot.posToVal(event.offsetX, "x"), this.counter.symbol);
    });
    this.uplot.over.addEventListener("mouseleave", () => page.hover(null));
    attachPanning(page, this.uplot.over);
  }

  drawFrames(u) {
    const { model, view } = this.page;
    u.ctx.save();
    u.ctx.globalAlpha = 0.3;
    u.ctx.fillStyle = palette.get("--soft");
    for (const frame of model.frames(view.from, view.to, u.bbox.width / devicePixelRatio / FRAME_MIN))
      u.ctx.fillRect(Math.round(u.valToPos(frame, "x", true)), u.bbox.top, devicePixelRatio, u.bbox.height);
    u.ctx.restore();
  }

  drawPin(u) {
    const { pinned, model, view } = this.page;
    if (pinned === null || pinned >= model.count)
      return;
    const middle = (model.start.numbers[pinned] + model.end.numbers[pinned]) / 2;
    if (middle < view.from || middle > view.to)
      return;
    const x = Math.round(u.valToPos(middle, "x", true));
    u.ctx.save();
    u.ctx.strokeStyle = palette.get("--pin");
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  /* Shows the value at a time: of the bucket that is drawn there. */
  read(ns) {
    const { model } = this.page;
    const units = this.counter.units;
    this.value.replaceChildren();
    if (ns === null || !model.count || ns < model.start.numbers[0]) {
      for (const name of ["value", "bucket", "level"])
        delete this.value.dataset[name];
      return;
    }
    const { k } = this.shown, level = model.level(this.counter, k);
    const b = model.bucketAt(ns) >> k;
    const mean = level.mean[b];
    this.value.dataset.value = Number.isNaN(mean) ? "" : String(mean);
    this.value.dataset.bucket = String(b);
    this.value.dataset.level = String(k);
    if (Number.isNaN(mean)) {
      const gap = model.gapAt(ns);
      this.value.append(element("b", {}, gap ? gap.reason : model.lost.numbers[model.bucketAt(ns)] ? "lost" : "not defined"));
      return;
    }
    this.value.append(element("b", {}, formatWithUnits(mean, units)));
    if ((k || !model.isSingle()) && !Number.isNaN(level.minimum[b]))
      this.value.append(element("small", {},
        `  ${formatQuantity(level.minimum[b], units)} to ${formatQuantity(level.maximum[b], units)}`));
  }

  resize(width) {
    if (this.uplot)
      this.uplot.setSize({ width, height: CHART_HEIGHT });
  }

  remove() {
    if (this.uplot)
      this.uplot.destroy();
    this.root.remove();
  }
}

/* Dragging with Shift, or with the middle button, moves the view; Ctrl and the wheel zoom. */
function attachPanning(page, over) {
  let from = null;
  over.addEventListener("mousedown", (event) => {
    page.dragged = false;
    if (!event.shiftKey && event.button !== 1)
      return;
    from = event.clientX;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  over.addEventListener("mousemove", (event) => {
    if (event.buttons && Math.abs(event.movementX) > 2)
      page.dragged = true;
    if (from === null)
      return;
    const scale = (page.view.to - page.view.from) / page.plotWidth();
    page.pan((from - event.clientX) * scale);
    from = event.clientX;
    event.stopImmediatePropagation();
  }, true);
  addEventListener("mouseup", () => { from = null; });
  over.addEventListener("wheel", (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !event.metaKey && !sideways)
      return;
    event.preventDefault();
    const range = page.view.to - page.view.from;
    if (sideways && !event.ctrlKey)
      page.pan(event.deltaX / page.plotWidth() * range);
    else
      page.zoom(Math.exp(event.deltaY * 0.004), page.view.from + event.offsetX / over.clientWidth * range);
  }, { passive: false });
}

/* The title of a band of the strip, on its left. */
function drawTitle(context, title, top, height) {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.fillStyle = palette.get("--soft");
  context.fillText(title, LEFT - 6, top + height / 2);
  context.textAlign = "left";
}

/* A part of a band, from x to end, at least `wide` pixels; its name if there is room. */
function drawPart(context, x, end, top, height, color, name, alpha, wide) {
  context.globalAlpha = alpha;
  context.fillStyle = palette.counter(color);
  context.fillRect(LEFT + x, top, Math.max(end - x, wide), height);
  context.globalAlpha = 1;
  if (end - x > context.measureText(name).width + 8) {
    context.fillStyle = palette.get("--text");
    context.fillText(name, LEFT + x + 4, top + height / 2 + 0.5);
  }
}

/* The strip above the charts: the whole recording with the visible part, times, and contexts. */
class Strip {
  constructor(page, canvas) {
    this.page = page;
    this.canvas = canvas;
    this.drag = null;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => { this.drag = null; });
  }

  /* The time at a place of the overview. */
  timeAt(x) {
    const width = this.canvas.clientWidth - LEFT - RIGHT;
    const { from, to } = this.page.model;
    return from + Math.min(1, Math.max(0, (x - LEFT) / width)) * (to - from);
  }

  down(event) {
    if (event.offsetY > 36)
      return;
    this.canvas.setPointerCapture(event.pointerId);
    const ns = this.timeAt(event.offsetX), { from, to } = this.page.view;
    const whole = to - from >= this.page.model.to - this.page.model.from;
    this.drag = { ns, from, to, moves: !whole && ns >= from && ns <= to };
  }

  move(event) {
    this.canvas.style.cursor = event.offsetY <= 36 ? "crosshair" : "default";
    if (!this.drag)
      return;
    const ns = this.timeAt(event.offsetX);
    if (this.drag.moves) {
      const shift = ns - this.drag.ns;
      this.page.show(this.drag.from + shift, this.drag.to + shift);
    } else if (Math.abs(ns - this.drag.ns) > (this.page.model.to - this.page.model.from) / 200) {
      this.page.show(Math.min(ns, this.drag.ns), Math.max(ns, this.drag.ns));
    }
  }

  draw() {
    const ratio = devicePixelRatio, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const plot = width - LEFT - RIGHT;
    if (plot < 10 || !this.page.model.count)
      return;
    this.drawOverview(context, plot);
    this.drawTimes(context, plot);
    this.drawContexts(context, plot);
    let top = 83;
    if (this.page.model.workload) {
      this.drawPhases(context, plot, top);
      top += BAND;
    }
    if (this.page.model.marks)
      this.drawMarks(context, plot, top);
  }

  drawOverview(context, width) {
    const { model, view } = this.page, height = 30, top = 2;
    const counter = this.page.overviewCounter();
    const all = { from: model.from, to: Math.max(model.to, model.from + 1) }, scale = width / (all.to - all.from);
    context.fillStyle = palette.get("--back");
    context.fillRect(LEFT, top, width, height);
    if (counter) {
      const k = model.levelFor(all.from, all.to, width * 2), level = model.level(counter, k);
      let highest = counter.units === "percent" ? 100 : 0;
      for (let b = 0; b < level.count; b++)
        if (level.mean[b] > highest)
          highest = level.mean[b];
      context.fillStyle = palette.counter(this.page.colorOf(counter)) + "90";
      context.beginPath();
      for (let b = 0; b < level.count && highest > 0; b++) {
        if (!(level.mean[b] > 0))
          continue;
        const x = (model.startOf(b, k) - all.from) * scale, end = (model.endOf(b, k) - all.from) * scale;
        const tall = level.mean[b] / highest * height;
        context.rect(LEFT + x, top + height - tall, Math.max(end - x, 0.7), tall);
      }
      context.fill();
      context.fillStyle = palette.get("--soft");
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(counter.symbol, LEFT - 6, top + height / 2, LEFT - 8);
    }
    drawLosses(context, model, all, LEFT, top, width, height, 1, false);
    const x = LEFT + (Math.max(view.from, all.from) - all.from) * scale, end = LEFT + (view.to - all.from) * scale;
    context.fillStyle = palette.get("--panel");
    context.globalAlpha = 0.66;
    context.fillRect(LEFT, top, x - LEFT, height);
    context.fillRect(end, top, LEFT + width - end, height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.get("--accent");
    context.lineWidth = 1.4;
    context.strokeRect(x, top, Math.max(end - x, 2), height);
  }

  drawTimes(context, width) {
    const { view } = this.page;
    context.fillStyle = palette.get("--soft");
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const mark of view.marks) {
      const text = this.page.formatAt(mark, view.step), half = context.measureText(text).width / 2;
      const x = LEFT + (mark - view.from) / (view.to - view.from) * width;
      if (x - half > 2 && x + half < LEFT + width + RIGHT)
        context.fillText(text, x, 46);
    }
  }

  drawContexts(context, width) {
    const { model, view } = this.page, top = 57, height = 20;
    drawTitle(context, "context", top, height);
    const none = model.contexts.length === 1 && model.contexts[0].key === "none";
    if (none) {
      context.fillText("reports of this GPU have no contexts", LEFT + 2, top + height / 2);
      return;
    }
    const scale = width / (view.to - view.from);
    const last = model.bucketAt(view.to);
    for (let b = model.bucketAt(view.from); b <= last;) {
      const index = model.context.numbers[b], first = b;
      while (b <= last && Object.is(model.context.numbers[b], index))
        b++;
      if (Number.isNaN(index))
        continue;
      const x = Math.max(0, (model.start.numbers[first] - view.from) * scale);
      const end = Math.min(width, (model.end.numbers[b - 1] - view.from) * scale);
      const key = model.contexts[index] ? model.contexts[index].key : "";
      drawPart(context, x, end, top, height, index, key, key === "idle" ? 0.18 : 0.5, 0.7);
    }
    drawLosses(context, model, view, LEFT, top, width, height, 1, false);
  }

  /* The phases of a modelled GPU's workload, and a mark where a frame begins. */
  drawPhases(context, width, top) {
    const { model, view } = this.page, height = 15, scale = width / (view.to - view.from);
    drawTitle(context, "phase", top, height);
    const phases = model.phases(view.from, view.to, width / 2);
    if (!phases.length)
      context.fillText(`phases of ${model.workload.name}: zoom in`, LEFT + 2, top + height / 2);
    for (const phase of phases) {
      const x = Math.max(0, (phase.start - view.from) * scale), end = Math.min(width, (phase.end - view.from) * scale);
      drawPart(context, x, end, top, height, phase.number - 1, String(phase.number), 0.3, 0.5);
    }
    if (!model.hasMarkedFrames())
      this.drawFrames(context, width, top, height);
  }

  /* The sections of marks that the recorded program has made. */
  drawMarks(context, width, top) {
    const { model, view } = this.page, height = 15, scale = width / (view.to - view.from);
    drawTitle(context, "mark", top, height);
    const sections = model.sections(view.from, view.to, width / 2);
    if (!sections.length && model.sectionAt(view.to) > model.sectionAt(view.from))
      context.fillText("marks of the program: zoom in", LEFT + 2, top + height / 2);
    for (const section of sections) {
      const x = Math.max(0, (section.start - view.from) * scale), end = Math.min(width, (section.end - view.from) * scale);
      drawPart(context, x, end, top, height, section.number, section.name, 0.3, 0.5);
    }
    if (model.hasMarkedFrames())
      this.drawFrames(context, width, top, height);
  }

  drawFrames(context, width, top, height) {
    const { model, view } = this.page, scale = width / (view.to - view.from);
    context.fillStyle = palette.get("--soft");
    for (const frame of model.frames(view.from, view.to, width / FRAME_MIN))
      context.fillRect(Math.round(LEFT + (frame - view.from) * scale), top - 3, 1, height + 6);
  }
}
