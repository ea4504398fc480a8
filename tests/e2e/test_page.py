# SPDX-License-Identifier: MIT
"""Pages and pictures, without a browser: well formed, self-contained, with the numbers of the other formats."""
import base64
import hashlib
import html.parser
import json
import math
import os
import re
import struct
import subprocess
import xml.etree.ElementTree

from e2e import (BUILD, OWN_METRICS, SAMPLES, SOURCE, contains, equal, json_lines, main, need, need_html, need_program,
                 succeed, tally)

NAMES = ["hsw", "chv", "icl"]
VOID = {"meta", "input", "link", "br", "hr", "img"}


class Reader(html.parser.HTMLParser):
    """Checks that elements nest; keeps the texts of scripts, styles and the title, and all attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        self.close()
        equal(self.open, [], "elements that are still open")

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag):
        equal(self.open.pop(), tag, "end of an element")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style", "title"):
            tag, attrs, text = self.texts[-1]
            self.texts[-1] = (tag, attrs, text + data)

    def text(self, tag, **attributes):
        found = [text for name, attrs, text in self.texts
                 if name == tag and attributes.items() <= attrs.items()]
        equal(len(found), 1, f"{tag} {attributes}")
        return found[0]


def export(directory, recording, *options, name="page.html"):
    need_html()
    path = os.path.join(directory, name)
    succeed("export", "-f", "html", "-o", path, *options, recording)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return Reader(text), text


def header_of(reader):
    return json.loads(reader.text("script", id="header"))


def column(reader, header, place):
    """The numbers of a column, as the page decodes them."""
    data = reader.text("script", id="data")[1:]
    if isinstance(place, list):
        raw = base64.b64decode(data[place[0]:place[0] + place[1]], validate=True)
        return list(struct.unpack(f"<{len(raw) // 8}d", raw))
    return [math.nan if place is None else place] * header["buckets"]


def values(reader, header, place):
    """A column of values: buckets whose deltas are all lost have none."""
    contexts = column(reader, header, header["columns"]["context"])
    return [None if math.isnan(value) or math.isnan(context) else value
            for value, context in zip(column(reader, header, place), contexts)]


def record(directory, device, *options):
    path = os.path.join(directory, "recording.i915-perf")
    succeed("record", "-d", device, "-t", "100ms", "-o", path, "-q", *options)
    return path


def test_the_page_is_well_formed_and_self_contained(directory):
    for name in NAMES:
        reader, _ = export(directory, f"{SAMPLES}/{name}.i915-perf")
        for tag, attrs in reader.elements:
            assert "src" not in attrs and not any(key.startswith("on") for key in attrs), (tag, attrs)
            assert not re.match(r"(https?:)?//", attrs.get("href") or ""), (tag, attrs)
            assert "style" not in attrs, (tag, attrs)
        assert not [tag for tag, _ in reader.elements if tag in ("link", "iframe", "img", "object", "base")]


def test_the_policy_allows_exactly_the_scripts_of_the_page(directory):
    reader, _ = export(directory, f"{SAMPLES}/hsw.i915-perf")
    policy = next(attrs["content"] for tag, attrs in reader.elements
                  if attrs.get("http-equiv") == "Content-Security-Policy")
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    equal(parts["default-src"], "'none'")
    equal(parts["connect-src"], "'none'")

    def hash_of(text):
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    scripts = [text for tag, attrs, text in reader.texts if tag == "script" and "type" not in attrs]
    equal(parts["script-src"].split(), [hash_of(text) for text in scripts])
    equal(parts["style-src"].split(), [hash_of(reader.text("style"))])


def test_every_value_is_that_of_jsonl(directory):
    for path in [f"{SAMPLES}/{name}.i915-perf" for name in NAMES] + [record(directory, "sim:g92", "-p", "1ms")]:
        reader, _ = export(directory, path)
        header = header_of(reader)
        lines = json_lines(succeed("export", "-f", "jsonl", path))
        deltas = [line for line in lines if line["type"] == "delta"]
        equal(header["deltas_per_bucket"], 1)
        equal(header["buckets"], len(deltas))
        checked = 0
        for counter in header["counters"]:
            if "chosen" not in counter:
                continue
            expected = [delta["counters"][counter["symbol"]] for delta in deltas]
            equal(values(reader, header, counter["mean"]), expected, f"{path} {counter['symbol']}")
            checked += len(expected)
        assert checked > 500, checked
        equal([bool(lost) for lost in column(reader, header, header["columns"]["lost"])],
              [delta["state"] != "ok" for delta in deltas], path)
        keys = [group["key"] for group in header["groups"]]
        equal([None if math.isnan(index) else keys[int(index)]
               for index in column(reader, header, header["columns"]["context"])],
              [delta["context"] if delta["state"] == "ok" else None for delta in deltas], path)


def test_statistics_and_losses_are_those_of_report(directory):
    for name in NAMES:
        path = f"{SAMPLES}/{name}.i915-perf"
        header = header_of(export(directory, path)[0])
        lines = json_lines(succeed("report", "-f", "jsonl", path))
        chosen = [counter["symbol"] for counter in header["counters"] if "chosen" in counter]
        groups = [line for line in lines if line["type"] == "group"]
        equal([(group["key"], group["deltas"], group["lost"]) for group in header["groups"]],
              [(group["group"], group["deltas"], group["lost"]) for group in groups], name)
        for ours, theirs in zip(header["groups"], groups):
            for symbol, statistics in zip(chosen, ours["statistics"]):
                for key, value in zip(header["statistic_names"], statistics):
                    equal(value, theirs["counters"][symbol][key], f"{name} {symbol} {key}")
        losses = [line for line in lines if line["type"] == "loss"]
        assert losses
        equal([(loss["reason"], loss["records"], loss.get("reports")) for loss in header["losses"]],
              [(loss["reason"], loss["records"], loss["estimated_reports"]) for loss in losses])


def test_a_long_recording_is_reduced(directory):
    make = need(os.path.join(BUILD, "data", "make_recording"))
    path = os.path.join(directory, "long.i915-perf")
    with open(path, "wb") as file:
        subprocess.run([make, "200000"], stdout=file, check=True)
    reader, text = export(directory, path)
    assert len(text) < 30e6, len(text)
    header = header_of(reader)
    per = header["deltas_per_bucket"]
    equal(header["buckets"], (200000 - 1 + per - 1) // per)
    assert per > 1
    total = json_lines(succeed("report", "--by", "none", "-f", "jsonl", path))
    total = next(line for line in total if line["type"] == "group")["counters"]
    checked = 0
    starts = column(reader, header, header["columns"]["start_ns"])
    ends = column(reader, header, header["columns"]["end_ns"])
    for counter in header["counters"]:
        if "chosen" not in counter or not total.get(counter["symbol"]):
            continue
        expected = total[counter["symbol"]]
        mean, minimum, maximum = (values(reader, header, counter[key]) for key in ("mean", "minimum", "maximum"))
        pairs = [(m, e - s) for m, s, e in zip(mean, starts, ends) if m is not None]
        if not pairs:
            continue
        equal(min(value for value in minimum if value is not None), expected["minimum"], counter["symbol"])
        equal(max(value for value in maximum if value is not None), expected["maximum"], counter["symbol"])
        got = sum(m * t for m, t in pairs) / sum(t for _, t in pairs)
        if all(m is not None for m in mean):
            assert math.isclose(got, expected["mean"], rel_tol=1e-6, abs_tol=1e-9), (counter["symbol"], got, expected)
        checked += 1
    assert checked > 20, checked


def test_advice_is_that_of_report(directory):
    for path, phases in [(record(directory, "sim:skl", "--workload", "bottleneck"), 3),
                         (f"{SAMPLES}/chv.i915-perf", 0)]:
        header = header_of(export(directory, path)[0])
        lines = json_lines(succeed("report", "--advise", "-f", "jsonl", "--by", "phase" if phases else "none", path))
        expected = [line for line in lines if line["type"] == "advice" and line["by"] == ("phase" if phases else "total")
                    and line["group"] != "change" and "between" not in line["group"]]
        expected = [line for line in expected if line["numbers"] or line["not_checked"] or not phases]
        equal([[one.get(key) for key in ("key", "rule", "limit", "says", "when", "source")] for one in header["advice"]],
              [[one["group"], *(one.get(key) for key in ("rule", "limit", "says", "when", "source"))] for one in expected])
        equal([one.get("numbers", "") for one in header["advice"]], [one["numbers"] for one in expected])
        equal(len([group for group in header["groups"] if group["by"] == "phase" and "statistics" in group]) >= phases, True)
        if phases:
            equal(len({one["limit"] for one in header["advice"]}), phases, "limits of the three phases")


HOSTILE = '</script><script>alert(1)</script><!--" onload="x'


def test_foreign_texts_are_texts(directory):
    """Names of counters, sets and files with markup appear in the page, and nothing of them is markup."""
    escaped = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    with open(f"{OWN_METRICS}/oa-hsw.xml", encoding="utf-8") as file:
        text = file.read()
    assert 'name="GPU Busy"' in text
    text = text.replace('name="GPU Busy"', f'name="{escaped}"', 1)
    text = re.sub(r'(symbol_name="GpuBusy"[^>]*description=")', lambda match: match.group(1) + escaped, text, count=1)
    os.mkdir(f"{directory}/metrics")
    with open(f"{directory}/metrics/oa-hsw.xml", "w", encoding="utf-8") as file:
        file.write(text)
    path = os.path.join(directory, HOSTILE.replace("/", "") + ".i915-perf")
    with open(f"{SAMPLES}/hsw.i915-perf", "rb") as sample, open(path, "wb") as copy:
        copy.write(sample.read())
    plain, _ = export(directory, f"{SAMPLES}/hsw.i915-perf", name="plain.html")
    reader, _ = export(directory, path, "-M", f"{directory}/metrics")
    equal([tag for tag, _ in reader.elements], [tag for tag, _ in plain.elements])
    header = header_of(reader)
    counter = next(counter for counter in header["counters"] if counter["symbol"] == "GpuBusy")
    equal(counter["name"], HOSTILE)
    equal(header["file"], path)
    contains(reader.text("title"), path)
    picture = os.path.join(directory, "a.svg")
    succeed("export", "-f", "svg", "-c", "GpuBusy", "-M", f"{directory}/metrics", "-o", picture, path)
    xml.etree.ElementTree.parse(picture)


def test_modelled_is_in_the_title(directory):
    for name in NAMES:
        reader, _ = export(directory, f"{SAMPLES}/{name}.i915-perf")
        contains(reader.text("title"), "modelled")
        equal(header_of(reader)["modelled"], True)


def test_chosen_counters_only(directory):
    reader, _ = export(directory, f"{SAMPLES}/chv.i915-perf", "-c", "eu*")
    header = header_of(reader)
    chosen = [counter["symbol"] for counter in header["counters"] if "chosen" in counter]
    assert chosen and all(symbol.lower().startswith("eu") for symbol in chosen), chosen


def test_a_damaged_recording_says_so(directory):
    path = os.path.join(directory, "cut.i915-perf")
    with open(f"{SAMPLES}/hsw.i915-perf", "rb") as sample, open(path, "wb") as copy:
        copy.write(sample.read()[:-100])
    need_html()
    page = os.path.join(directory, "page.html")
    done = tally("export", "-f", "html", "-o", page, path)
    equal(done.returncode, 3)
    with open(page, encoding="utf-8") as file:
        header = header_of(Reader(file.read()))
    assert header["error"] and header["buckets"] > 300, header["error"]


def test_html_is_for_deltas_only():
    done = tally("report", "-f", "html", f"{SAMPLES}/hsw.i915-perf", "--by", "none")
    equal(done.returncode, 2)
    contains(done.stderr, 'format "html"')


# ---- pictures ----------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def picture(directory, recording, counters):
    path = os.path.join(directory, "picture.svg")
    succeed("export", "-f", "svg", "-c", counters, "-o", path, recording)
    return xml.etree.ElementTree.parse(path).getroot()


def test_a_picture_has_axis_legend_gaps_and_title(directory):
    for name in NAMES:
        path = f"{SAMPLES}/{name}.i915-perf"
        root = picture(directory, path, "GpuBusy,AvgGpuCoreFrequency")
        equal(root.tag, SVG + "svg")
        contains(root.find(SVG + "title").text, "modelled", name)
        texts = ["".join(text.itertext()) for text in root.iter(SVG + "text")]
        for expected in ["GpuBusy", "AvgGpuCoreFrequency", "100 %", "0 Hz", "percent"]:
            assert expected in texts, (name, expected, texts)
        assert any(re.fullmatch(r"[\d.]+ ms", text) for text in texts), texts
        losses = [line for line in json_lines(succeed("report", "-f", "jsonl", path)) if line["type"] == "loss"]
        gaps = [rect for rect in root.iter(SVG + "rect") if rect.get("class") == "lost"]
        equal(len(gaps), 2 * len(losses), "gaps in two panels")
        reasons = {loss["reason"] for loss in losses}
        equal({gap.find(SVG + "title").text for gap in gaps}, reasons)
        # No line crosses a gap.
        for gap in gaps:
            left, right = float(gap.get("x")), float(gap.get("x")) + float(gap.get("width"))
            for line in root.iter(SVG + "path"):
                if line.get("stroke-width") != "1.5":
                    continue
                for start, end in re.findall(r"[ML]([\d.]+) [\d.]+H([\d.]+)", line.get("d")):
                    assert float(end) <= left + 0.11 or float(start) >= right - 0.11, (start, end, left, right)


def test_the_axis_of_a_picture_begins_at_0():
    picture = succeed("export", "-f", "svg", "-c", "GpuBusy", f"{SAMPLES}/chv.i915-perf")
    assert ">0 ns<" in picture and ">-0" not in picture


def test_a_picture_of_pcounter(directory):
    root = picture(directory, record(directory, "sim:g92", "-p", "1ms"), "*busy*")
    contains(root.find(SVG + "title").text, "modelled")


def test_a_range_is_the_axis(directory):
    """--from and --to limit what pages, pictures and traces show, not only their values."""
    path = record(directory, "sim:skl", "--workload", "bottleneck")
    arguments = ["-c", "GpuBusy,EuActive", "--from", "20ms", "--to", "30ms"]
    reader, _ = export(directory, path, *arguments)
    header = header_of(reader)
    equal((header["from_ns"], header["to_ns"]), (20_000_000, 30_000_000))
    starts = column(reader, header, header["columns"]["start_ns"])
    assert 20e6 <= starts[0] < 21e6 and 29e6 < starts[-1] < 30e6, (starts[0], starts[-1])
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", path)) if line["type"] == "delta"]
    first = header["first_delta"]
    equal(values(reader, header, header["counters"][index_of(header, "EuActive")]["mean"]),
          [delta["counters"]["EuActive"] for delta in deltas[first:first + len(starts)]])
    lines = re.findall(r'<path d="M([\d.]+) [^"]*H([\d.]+)" fill="none"', succeed("export", "-f", "svg", *arguments, path))
    assert len(lines) == 2 and all(82 <= float(start) < 140 and 800 < float(end) <= 856 for start, end in lines), lines
    marks = re.findall(r">([\d.]+) ms</text>", succeed("export", "-f", "svg", *arguments, path))
    equal((marks[0], marks[-1]), ("20", "30"))


def index_of(header, symbol):
    return [counter["symbol"] for counter in header["counters"]].index(symbol)


def test_losses_outside_of_a_range_are_left_out(directory):
    path = f"{SAMPLES}/hsw.i915-perf"
    reader, _ = export(directory, path)
    losses = header_of(reader)["losses"]
    last = max(losses, key=lambda loss: loss["start_ns"])
    for arguments, expected in ((["--to", f"{int(last['start_ns']) - 1000}ns"], losses[:-1]),
                                (["--from", f"{int(last['start_ns'])}ns"], losses[-1:])):
        reader, _ = export(directory, path, *arguments)
        equal(header_of(reader)["losses"], expected, arguments)
        drawn = re.findall("<title>([a-z-]+)</title></rect>", succeed("export", "-f", "svg", "-c", "GpuBusy", *arguments, path))
        equal(drawn, [loss["reason"] for loss in expected], arguments)
        events = json.loads(succeed("export", "-f", "chrome", "-c", "GpuBusy", *arguments, path))
        equal([event["name"] for event in events if "loss" in event.get("args", {})], [loss["reason"] for loss in expected])


def test_phases_and_frames_are_shown(directory):
    """Those of the recording, as tally info has them; in a picture if they are wide enough."""
    path = record(directory, "sim:skl", "--workload", "bottleneck")
    info = json_lines(succeed("info", "-f", "jsonl", path))
    phases = next(line["phases_ns"] for line in info if "phases_ns" in line)
    reader, _ = export(directory, path)
    workload = header_of(reader)["workload"]
    equal((workload["name"], workload["phases_ns"]), ("bottleneck", phases))
    assert workload["start_ns"] <= 0
    picture = succeed("export", "-f", "svg", "-c", "GpuBusy", "--to", "12ms", path)
    numbers = re.findall(r'font-size="11">(\d)</text>', picture)
    assert set(numbers) == {"1", "2", "3"} and "123123" in "".join(numbers), numbers
    equal(len(re.findall('class="frame"', picture)), 4)
    long = os.path.join(directory, "long.i915-perf")
    succeed("record", "-q", "-d", "sim:skl", "--workload", "bottleneck", "-t", "1s", "-o", long)
    assert "phase" not in succeed("export", "-f", "svg", "-c", "GpuBusy", long)
    assert "phase" not in succeed("export", "-f", "svg", "-c", "GpuBusy", f"{SAMPLES}/hsw.i915-perf")


def test_a_live_page_survives_a_restart_of_its_server():
    """Its scripts without a browser: whatever the order of answers and events, no row of either server is missing."""
    done = subprocess.run([need_program("node"), f"{SOURCE}/tests/page/test_live.js"], capture_output=True, text=True, check=False)
    equal(done.returncode, 0, done.stdout + done.stderr)


def test_too_many_counters_for_a_picture():
    done = tally("export", "-f", "svg", f"{SAMPLES}/hsw.i915-perf")
    equal(done.returncode, 2)
    contains(done.stderr, "at most 12 counters, not 53: choose some with -c")


if __name__ == "__main__":
    main()
