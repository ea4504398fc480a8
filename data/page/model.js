// SPDX-License-Identifier: MIT
"use strict";
/*
 * The data of a page: buckets of one or more deltas with the values of each counter, and pyramids of
 * minimum, mean and maximum above them. docs/page.md describes the header.
 */

/* Numbers from base64, eight bytes each, little-endian. */
function decodeNumbers(text) {
  const bytes = atob(text);
  const array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++)
    array[i] = bytes.charCodeAt(i);
  return new Float64Array(array.buffer, 0, array.length >> 3);
}

/* An array of doubles that can grow. */
class Column {
  constructor(numbers) {
    this.numbers = numbers;
    this.count = numbers.length;
  }

  push(number) {
    if (this.count === this.numbers.length) {
      const grown = new Float64Array(Math.max(1024, 2 * this.count));
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[this.count++] = number;
  }

  /* Drops the first ones. */
  drop(count) {
    this.numbers.copyWithin(0, count, this.count);
    this.count -= count;
  }
}

class Model {
  constructor(header, data) {
    this.header = header;
    this.data = data;
    this.columns = new Map();
    this.pyramids = new Map();
    this.version = 0; // of the data
    this.counters = header.counters.filter((counter) => counter.chosen !== undefined)
      .sort((a, b) => a.chosen - b.chosen);
    this.bySymbol = new Map(this.counters.map((counter) => [counter.symbol, counter]));
    this.contexts = header.groups.filter((group) => group.by === "context");
    this.total = header.groups.find((group) => group.by === "total");
    this.count = header.buckets;
    this.start = this.column(header.columns.start_ns);
    this.end = this.column(header.columns.end_ns);
    this.lost = this.column(header.columns.lost);
    this.context = this.column(header.columns.context);
    this.mixed = this.column(header.columns.mixed);
    const slots = Object.entries(header.slots);
    this.slots = new Map(slots.map(([slot, place]) => [Number(slot), place]));
    this.from = header.from_ns || 0;
    this.to = header.to_ns ?? header.duration_ns ?? 0;
    this.losses = header.losses;
    this.gaps = header.pauses || []; // times that were not counted: pauses, and those of a live page
    this.marks = header.marks || null;
    this.workload = header.workload || null;
    if (this.workload)
      this.workload.frame_ns = this.workload.phases_ns.reduce((sum, ns) => sum + ns, 0);
  }

  /* A column of the header: a number for all buckets, null, or the place of an array; kept. */
  column(place) {
    if (this.columns.has(place))
      return this.columns.get(place);
    const numbers = Array.isArray(place) ? decodeNumbers(this.data.substr(place[0], place[1]))
      : new Float64Array(this.count).fill(place === null || place === undefined ? NaN : place);
    const column = new Column(numbers);
    if (Array.isArray(place))
      this.columns.set(place, column);
    return column;
  }

  /* What the deltas of a bucket are called. */
  nameOf(b, k) {
    const per = this.header.deltas_per_bucket * 2 ** k, first = (this.header.first_delta || 0) + b * per;
    return per === 1 ? `delta ${formatCount(first)}` : `deltas ${formatCount(first)} to ${formatCount(first + per - 1)}`;
  }

  /* A column of values: buckets whose deltas are all lost have none. */
  values(place) {
    const column = this.column(place);
    if (!Array.isArray(place))
      for (let b = 0; b < this.count; b++)
        if (Number.isNaN(this.context.numbers[b]))
          column.numbers[b] = NaN;
    return column.numbers;
  }

  isSingle() {
    return this.header.deltas_per_bucket === 1;
  }

  /* Whether a bucket counts for minimum and maximum: not if it is a delta shorter than half of the
   * period. */
  hasExtremes(b) {
    return 2 * (this.end.numbers[b] - this.start.numbers[b]) >= (this.header.period_ns || 0);
  }

  /* Level 0 of a counter: its columns. */
  base(counter) {
    const mean = this.values(counter.mean);
    const level = { mean, minimum: mean, maximum: mean, count: this.count };
    if (!this.isSingle()) {
      level.minimum = this.values(counter.minimum);
      level.maximum = this.values(counter.maximum);
    } else {
      level.minimum = mean.slice(0, this.count);
      for (let b = 0; b < this.count; b++)
        if (!this.hasExtremes(b))
          level.minimum[b] = NaN;
      level.maximum = level.minimum;
    }
    level.weight = new Float64Array(this.count);
    for (let b = 0; b < this.count; b++)
      if (!Number.isNaN(mean[b]))
        level.weight[b] = this.end.numbers[b] - this.start.numbers[b];
    return level;
  }

  /* Level k of a counter's pyramid, in which a bucket covers 2^k of level 0. */
  level(counter, k) {
    let levels = this.pyramids.get(counter.symbol);
    if (!levels || levels.version !== this.version) {
      levels = [this.base(counter)];
      levels.version = this.version;
      this.pyramids.set(counter.symbol, levels);
    }
    while (levels.length <= k)
      levels.push(this.above(levels[levels.length - 1]));
    return levels[k];
  }

  above(below) {
    const count = (below.count + 1) >> 1;
    const level = { count, mean: new Float64Array(count), minimum: new Float64Array(count),
      maximum: new Float64Array(count), weight: new Float64Array(count) };
    for (let b = 0; b < count; b++) {
      const i = 2 * b, j = i + 1 < below.count ? i + 1 : i;
      const alone = i === j || Number.isNaN(below.mean[j]) ? i : Number.isNaN(below.mean[i]) ? j : -1;
      if (alone >= 0) {
        level.mean[b] = below.mean[alone];
        level.minimum[b] = below.minimum[alone];
        level.maximum[b] = below.maximum[alone];
        level.weight[b] = below.weight[alone];
        continue;
      }
      const weight = below.weight[i] + below.weight[j];
      level.weight[b] = weight;
      level.mean[b] = weight > 0
        ? below.mean[i] + (below.mean[j] - below.mean[i]) * (below.weight[j] / weight) : below.mean[i];
      level.minimum[b] = smaller(below.minimum[i], below.minimum[j]);
      level.maximum[b] = -smaller(-below.maximum[i], -below.maximum[j]);
    }
    return level;
  }

  /* The bucket of level 0 at a time; before the first one 0, after the last one the last. */
  bucketAt(ns) {
    const start = this.start.numbers;
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (start[middle] <= ns)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  startOf(b, k) {
    return this.start.numbers[b << k];
  }

  endOf(b, k) {
    return this.end.numbers[Math.min((b + 1) << k, this.count) - 1];
  }

  /* The level of which at most `points` buckets are visible. */
  levelFor(from, to, points) {
    const visible = this.bucketAt(to) - this.bucketAt(from) + 1;
    let k = 0;
    while (visible / 2 ** k > points)
      k++;
    return k;
  }

  /* Evaluates equations over the buckets from `first` to `last`. */
  evaluation(first, last) {
    return new Evaluation(this.header, (slot) => {
      const place = this.slots.get(slot);
      if (place === undefined)
        return undefined;
      const sums = this.column(place).numbers;
      let sum = 0;
      for (let b = first; b <= last; b++)
        sum += sums[b];
      return sum;
    });
  }

  /* The statistics of a counter over the buckets that are wholly in a range of time. */
  statisticsOf(counter, first, last, evaluation) {
    const level = this.level(counter, 0);
    let minimum = NaN, maximum = NaN, sum = 0, weight = 0;
    for (let b = first; b <= last; b++) {
      if (Number.isNaN(level.mean[b]))
        continue;
      sum += level.mean[b] * level.weight[b];
      weight += level.weight[b];
      minimum = smaller(minimum, level.minimum[b]);
      maximum = -smaller(-maximum, -level.maximum[b]);
    }
    let overall = null;
    if (weight && this.slots.size) {
      const result = evaluation.counter(counter.symbol);
      overall = result.defined ? Number(result.value) : null;
    }
    const mean = weight ? sum / weight : null;
    return { overall, minimum: Number.isNaN(minimum) ? null : minimum, mean,
      maximum: Number.isNaN(maximum) ? null : maximum };
  }

  /* Buckets that are wholly in a range. */
  rangeOf(from, to) {
    let first = this.bucketAt(from);
    if (this.start.numbers[first] < from)
      first++;
    let last = this.bucketAt(to);
    if (this.end.numbers[last] > to)
      last--;
    return [first, last];
  }

  nameOfContext(b) {
    const index = this.context.numbers[b];
    return Number.isNaN(index) || !this.contexts[index] ? null : this.contexts[index].key;
  }

  /* The phases of the workload between two times, as long as there are at most `limit`: number, start and end. */
  phases(from, to, limit) {
    const { workload } = this, found = [];
    if (!workload || (to - from) / workload.frame_ns * workload.phases_ns.length > limit)
      return found;
    let start = workload.start_ns + Math.max(0, Math.floor((from - workload.start_ns) / workload.frame_ns)) * workload.frame_ns;
    for (let i = 0; start < to; i = (i + 1) % workload.phases_ns.length) {
      const end = start + workload.phases_ns[i];
      if (end > from)
        found.push({ number: i + 1, start, end });
      start = end;
    }
    return found;
  }

  /* The time without counting at a time, or undefined. */
  gapAt(ns) {
    return this.gaps.find((gap) => gap.start_ns <= ns && ns < gap.end_ns);
  }

  /* The index of the section of marks at a time; -1: before the first one. */
  sectionAt(ns) {
    const { sections } = this.marks;
    let low = 0, high = sections.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sections[middle][0] <= ns)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }

  /* The sections of marks with a name between two times, as long as there are at most `limit`: name, its number, start and end. */
  sections(from, to, limit) {
    const found = [];
    if (!this.marks)
      return found;
    const { sections, names } = this.marks, first = Math.max(0, this.sectionAt(from)), last = this.sectionAt(to);
    if (last - first >= limit)
      return found;
    for (let i = first; i <= last; i++) {
      const [start, number] = sections[i], end = i + 1 < sections.length ? sections[i + 1][0] : this.to;
      if (names[number])
        found.push({ name: names[number], number, start, end });
    }
    return found;
  }

  /* The name of the section of marks at a time, or null. */
  markAt(ns) {
    const at = this.marks ? this.sectionAt(ns) : -1;
    return at < 0 ? null : this.marks.names[this.marks.sections[at][1]] || null;
  }

  /* Whether the recorded program has marked its frames. */
  hasMarkedFrames() {
    return this.marks !== null && (this.marks.frames_ns.length > 0 || this.marks.first_frame > 1);
  }

  /* The times at which frames begin between two times, as long as there are at most `limit`. */
  frames(from, to, limit) {
    const { workload } = this, found = [];
    if (this.hasMarkedFrames()) {
      const frames = this.marks.frames_ns.filter((ns) => from <= ns && ns <= to);
      return frames.length > limit ? found : frames;
    }
    if (!workload || (to - from) / workload.frame_ns > limit)
      return found;
    const first = Math.max(0, Math.ceil((from - workload.start_ns) / workload.frame_ns));
    for (let i = first; workload.start_ns + i * workload.frame_ns <= to; i++)
      found.push(workload.start_ns + i * workload.frame_ns);
    return found;
  }

  /* Phase and frame at a time, from 1, or null. */
  workAt(ns) {
    const { workload } = this;
    let marked;
    if (this.hasMarkedFrames()) {
      const ended = this.marks.frames_ns.filter((end) => end <= ns).length;
      if (!this.marks.frames_left_out || ended < this.marks.frames_ns.length) // else it is not in the page
        marked = this.marks.first_frame + ended;
    }
    if (!workload)
      return marked === undefined ? null : { frame: marked };
    const since = Math.max(0, ns - workload.start_ns);
    let left = since % workload.frame_ns, phase = 0;
    while (phase + 1 < workload.phases_ns.length && left >= workload.phases_ns[phase])
      left -= workload.phases_ns[phase++];
    return { phase: phase + 1, frame: marked ?? Math.floor(since / workload.frame_ns) + 1 };
  }
}

/* The smaller of two numbers; the other one, if one is NaN. */
function smaller(a, b) {
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b);
}
