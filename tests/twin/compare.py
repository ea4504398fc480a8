# SPDX-License-Identifier: MIT
"""Compares two outputs of the twin test's client call by call.

    compare.py REAL EMULATED PLATFORM

REAL has the answers of Linux's own driver, EMULATED those of the emulated one. allowed.txt lists the
differences that are allowed, and why. Exits with 1 if there is another one.
"""
import fnmatch
import os
import sys

ALLOWED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "allowed.txt")


def answers_of(text):
    """Returns {name of the call: answer}; lines with # are about the run."""
    answers = {}
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, colon, answer = line.partition(": ")
        if not colon:
            raise ValueError(f"\"{line}\", expected \"call: answer\"")
        if name in answers:
            raise ValueError(f"{name} is listed twice")
        answers[name] = answer
    return answers


class Rule:
    """A row of allowed.txt."""

    def __init__(self, line, number):
        cells = [cell.strip() for cell in line.split("|", 2)]
        if len(cells) != 3 or not all(cells):
            raise ValueError(f"allowed.txt:{number}: expected \"calls | platforms | reason\"")
        self.number, self.reason = number, cells[2]
        self.patterns = cells[0].split()
        self.platforms = cells[1].split()
        self.used = 0

    def matches(self, name, platform):
        """Whether the row allows a difference of a call on a platform."""
        return self.applies(platform) and any(fnmatch.fnmatchcase(name, pattern)
                                              for pattern in self.patterns)

    def applies(self, platform):
        """Whether the row is about a platform."""
        return self.platforms == ["all"] or platform in self.platforms


def rules_of(text):
    """Returns the rows of allowed.txt."""
    rows = enumerate(text.splitlines(), 1)
    return [Rule(line, number) for number, line in rows
            if line.strip() and not line.startswith("#")]


def load_rules():
    """Reads allowed.txt."""
    with open(ALLOWED, encoding="utf-8") as file:
        return rules_of(file.read())


def compare(real, emulated, platform, rules):
    """Returns the number of calls, the allowed and the unexplained differences; the latter two as
    lists of (call, real answer, emulated answer, reason or None)."""
    allowed, unexplained = [], []
    names = list(real) + [name for name in emulated if name not in real]
    for name in names:
        answers = real.get(name, "(no answer)"), emulated.get(name, "(no answer)")
        if answers[0] == answers[1]:
            continue
        rule = next((rule for rule in rules if rule.matches(name, platform)), None)
        if rule:
            rule.used += 1
            allowed.append((name, *answers, rule.reason))
        else:
            unexplained.append((name, *answers, None))
    return len(names), allowed, unexplained


def show(differences):
    """Prints differences, a call in three lines."""
    for name, real, emulated, reason in differences:
        print(f"{name}" + (f" (allowed: {reason})" if reason else ""))
        print(f"    Linux:    {real}")
        print(f"    emulated: {emulated}")


def main():
    """The command line."""
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    texts = []
    for path in sys.argv[1:3]:
        with open(path, encoding="utf-8") as file:
            texts.append(answers_of(file.read()))
    calls, allowed, unexplained = compare(*texts, sys.argv[3], load_rules())
    show(allowed + unexplained)
    print(f"{sys.argv[3]}: {calls} calls, {len(allowed)} allowed differences, "
          f"{len(unexplained)} unexplained")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
