# SPDX-License-Identifier: MIT
"""The statistics of docs/compare.md once more, as plainly as possible, for tests to compare with. Nothing here is taken from
src/compare: exact probabilities are counted over every choice of values, quantiles of the normal distribution come from the
standard library."""
import itertools
import math
import statistics
from fractions import Fraction

BLOCKS_MIN = 12
EXACT_MAX = 40


class Sample:
    def __init__(self, value, weight, run=0):
        self.value, self.weight, self.run = value, weight, run


def mean(samples):
    return math.fsum(s.value * s.weight for s in samples) / math.fsum(s.weight for s in samples)


def by_run(samples):
    return [list(group) for _, group in itertools.groupby(samples, key=lambda s: s.run)]


def correlation(*sides):
    neighbours, squares = [], []
    for side in sides:
        middle = mean(side)
        squares += [(s.value - middle) ** 2 for s in side]
        for run in by_run(side):
            neighbours += [(a.value - middle) * (b.value - middle) for a, b in zip(run, run[1:])]
    total = math.fsum(squares)
    return math.fsum(neighbours) / total + 2 / sum(len(side) for side in sides) if total else 0.0


def merged(samples):
    result = []
    for run in by_run(samples):
        starts = list(range(0, len(run) - len(run) % 2, 2)) or [0]
        for start in starts:
            part = run[start:] if start == starts[-1] else run[start:start + 2]
            result.append(Sample(mean(part), math.fsum(s.weight for s in part), run[0].run))
    return result


def blocks(a, b):
    """Both sides with neighbours that do not depend on each other, and how much they still do."""
    while True:
        r = correlation(a, b)
        a_next, b_next = merged(a), merged(b)
        short = min(len(a_next), len(b_next)) < BLOCKS_MIN
        if r <= 0.5 / math.sqrt(len(a) + len(b)) or short or (len(a_next), len(b_next)) == (len(a), len(b)):
            return a, b, r
        a, b = a_next, b_next


def ranks(values):
    """Mean ranks, from 1."""
    order = sorted(values)
    first = {value: order.index(value) for value in set(values)}
    return [Fraction(2 * first[v] + 1 + order.count(v), 2) for v in values]


def exact_p(all_ranks, size, total):
    middle = size * Fraction(len(all_ranks) + 1, 2)
    if math.comb(len(all_ranks), size) <= 20000:
        sums = [sum(chosen) for chosen in itertools.combinations(all_ranks, size)]
        return sum(abs(s - middle) >= abs(total - middle) for s in sums) / len(sums)
    ways = {(0, Fraction(0)): 1}  # the same by number and sum: too many choices to list
    for rank in all_ranks:
        more = dict(ways)
        for (chosen, so_far), count in ways.items():
            if chosen < size:
                key = (chosen + 1, so_far + rank)
                more[key] = more.get(key, 0) + count
        ways = more
    extreme = sum(n for (k, s), n in ways.items() if k == size and abs(s - middle) >= abs(total - middle))
    return extreme / math.comb(len(all_ranks), size)


def mann_whitney(a, b):
    """U, the pairs in which b is larger, and the two-sided p."""
    u = sum((y > x) + 0.5 * (y == x) for x in a for y in b)
    values = a + b
    if len(values) <= EXACT_MAX:
        all_ranks = ranks(values)
        return u, exact_p(all_ranks, len(b), sum(all_ranks[len(a):]))
    n = len(values)
    ties = sum(values.count(v) ** 3 - values.count(v) for v in set(values))
    variance = len(a) * len(b) / 12 * ((n + 1) - ties / (n * (n - 1)))
    z = max(0.0, abs(u - len(a) * len(b) / 2) - 0.5) / math.sqrt(variance)
    return u, math.erfc(z / math.sqrt(2))


def compare(a, b):
    """p and delta of two lists of samples."""
    a, b, r = blocks(a, b)
    u, p = mann_whitney([s.value for s in a], [s.value for s in b])
    if r > 0.5 / math.sqrt(len(a) + len(b)) and 0 < p < 1:
        z = -statistics.NormalDist().inv_cdf(p / 2)
        r = min(r, 0.99)
        p = math.erfc(z / math.sqrt((1 + r) / (1 - r)) / math.sqrt(2))
    return {"p": p, "delta": 2 * u / (len(a) * len(b)) - 1, "samples": (len(a), len(b))}


def holm(ps):
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    corrected, highest = [0.0] * len(ps), 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - place) * ps[i]))
        corrected[i] = highest
    return corrected


def samples_of(deltas, interval_ns, hz, counter, run=0):
    """Rates per second of a counter that counts, from the deltas of an export: those that start in one interval are a
    sample, unless it is shorter than half of the median."""
    origin, cells = deltas[0]["gpu_start"], {}
    for delta in deltas:
        if delta["state"] != "ok":
            continue
        at = (delta["gpu_start"] - origin) * 10 ** 9 // hz // interval_ns
        cell = cells.setdefault(at, [0, 0])
        cell[0] += delta["gpu_end"] - delta["gpu_start"]
        cell[1] += delta["counters"][counter]
    lengths = sorted(ticks for ticks, _ in cells.values() if ticks)
    least = lengths[len(lengths) // 2] / 2
    return [Sample(total * hz / ticks, ticks * 1e9 / hz, run) for _, (ticks, total) in sorted(cells.items())
            if ticks and ticks >= least]
