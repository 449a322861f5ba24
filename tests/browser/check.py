# SPDX-License-Identifier: Apache-2.0
"""check.py REFAULT SOURCE SCRATCH: HTML reports against the JSON of the same runs."""
import json
import math
import os
import re
import subprocess
import sys

import browser

program, source, scratch = sys.argv[1:4]
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)
        print("FAIL", message)


def near(a, b, tolerance=0.005):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-9)


def refault(*arguments):
    subprocess.run([program] + list(arguments), check=True, stdout=subprocess.DEVNULL,
                   timeout=120)


def scratch_file(name):
    return os.path.join(scratch, name)


UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "ns": 1, "µs": 1e3, "ms": 1e6,
         "s": 1e9, "%": 1}


def amount(text):
    """The number in "12.3 MiB", in bytes or nanoseconds."""
    m = re.fullmatch(r"(-?[0-9.]+)(?: (\S+)|/s)?", text.strip())
    return float(m.group(1)) * UNITS.get(m.group(2), 1)


def values_of(result):
    """All values under the names that the page shows."""
    out = {k: v for k, v in result["counters"].items() if isinstance(v, int)}
    out.update(("time." + k, v) for k, v in result["time"].items())
    out.update(("x." + k, v) for k, v in result["x"].items())
    return out


# Where the y axis of a chart has its values: [tick text, y] pairs, and the paths of its lines.
CHART = """(function (id) {
  var svg = document.querySelector('svg[data-chart=' + id + ']');
  return {
    ticks: Array.from(svg.querySelectorAll('text[text-anchor=end]')).map(function (t) {
      return [t.textContent, +t.getAttribute('y') - 4];
    }),
    title: svg.querySelectorAll('text.at')[1].textContent,
    lines: Array.from(svg.querySelectorAll('path.line')).map(function (p) {
      return p.getAttribute('d');
    })
  };
}('%s'))"""


def last_y(path):
    """The y of the last point of M, L, H and V commands."""
    return float([c for c in re.findall(r"[MLHV][0-9. -]+", path)
                  if c[0] != "H"][-1][1:].split()[-1])


def on_axis(chart, y):
    """The value at height y by the axis' own labels."""
    (a, ya), (b, yb) = chart["ticks"][0], chart["ticks"][-1]
    unit = re.search(r", (\S+)", chart["title"])
    scale = {"thousands": 1e3, "millions": 1e6}.get(unit.group(1) if unit else "",
                                                    UNITS.get(unit.group(1), 1) if unit else 1)
    return (float(a) + (y - ya) / (yb - ya) * (float(b) - float(a))) * scale


def check_page(b, path, what, sections=2):
    """What holds for every page."""
    check(os.path.getsize(path) < 2 << 20, "%s: the file is too large" % what)
    text = open(path, encoding="utf-8").read()
    check(not re.search(r"(src|href)=\"(?!#|data:)", text), "%s: refers to something" % what)
    colours = []
    for dark in (False, True):
        b.view(375, 800, dark=dark, phone=True)
        b.load(path)
        check(b.run("document.documentElement.scrollWidth") <= 375, "%s: wider than a phone" % what)
        colours.append(b.run("getComputedStyle(document.body).backgroundColor"))
    check(colours[0] != colours[1], "%s: dark looks as light does" % what)
    b.view(1180)
    b.load(path)
    check(b.run("document.querySelectorAll('nav a').length") >= sections, "%s: no navigation" % what)
    check(b.run("Array.from(document.querySelectorAll('[id]')).every(function (e, i, all) {"
                "return all.findIndex(function (o) { return o.id === e.id; }) === i; })"),
          "%s: an id is there twice" % what)
    check(b.run("Array.from(document.querySelectorAll('svg *')).every(function (e) {"
                "return Array.from(e.attributes).every(function (a) {"
                "return !/nan|inf/i.test(a.value) || a.name === 'class'"
                " || a.name.indexOf('data-') === 0; }); })"), "%s: nan or inf in a chart" % what)


def check_table(b, values, what):
    rows = b.run("Array.from(document.querySelectorAll('#values tbody tr')).map(function (r) {"
                 "return [r.cells[0].textContent, r.cells[1].textContent]; })")
    shown = {k: int(v) for k, v in rows}
    check(shown == {k: v for k, v in values.items() if v}, "%s: table of counters" % what)
    # Sorted by value with the keyboard: the largest comes last, and first after another press.
    for index in (-1, 0):
        b.run("document.querySelectorAll('#values th button')[1].focus()")
        b.run("document.activeElement.click()")
        order = b.run("Array.from(document.querySelectorAll('#values tbody tr')).map("
                      "function (r) { return +r.cells[1].textContent; })")
        check(order[index] == max(shown.values()) and
              order == sorted(order, reverse=index == 0), "%s: sorting" % what)


def check_lines(b, result, what, finals):
    """finals: chart, number of the line, its value at the end of the run."""
    for chart_id, line, want in finals:
        chart = b.run(CHART % chart_id)
        got = on_axis(chart, last_y(chart["lines"][line]))
        top = float(chart["ticks"][-1][0])
        check(near(got, want, 0.01) or abs(got - want) < 0.005 * on_axis(chart, chart["ticks"][-1][1]),
              "%s: line %d of %s ends at %g, not at %g (axis to %g)" %
              (what, line, chart_id, got, want, top))
        b.run("document.querySelector('svg[data-chart=%s]').focus()" % chart_id)
        b.key("End")
        out = b.run("document.querySelector('#%s output').textContent" % chart_id)
        time, rest = out.split(": ", 1)
        check(near(amount(time), result["time"]["elapsed_ns"]), "%s: readout %s" % (what, out))
        words = rest.split(", ")[line].rsplit(" ", 2)
        check(near(amount(" ".join(words[-2:])), want), "%s: readout %s" % (what, out))


def check_replay(b, trace, arguments, what, finals):
    page, result = scratch_file("replay.html"), scratch_file("replay.json")
    refault("replay", trace, *arguments, "--html", page, "--json", result)
    result = json.load(open(result))
    values = values_of(result)
    check_page(b, page, what)
    check(b.run("document.querySelector('h1').textContent") ==
          os.path.basename(trace) + ": replay", "%s: heading" % what)
    check(b.run("document.querySelectorAll('img, iframe, object, h1 *').length") == 0,
          "%s: elements from a name" % what)
    data = json.loads(b.run("document.getElementById('data').textContent"))
    check(data["result"] == result, "%s: embedded result" % what)
    check(b.run("document.getElementById('outcome').textContent") == "done", "%s: outcome" % what)
    cards = b.run("Array.from(document.querySelectorAll('[data-card]')).map(function (c) {"
                  "return [c.dataset.card, c.textContent]; })")
    check(len(cards) >= 5, "%s: cards" % what)
    for key, text in cards:
        check(near(amount(text), values[key]), "%s: card %s says %s" % (what, key, text))
    check_table(b, values, what)
    check_lines(b, result, what, [(c, n, values[k] * by) for c, n, k, by in finals])
    # Bars: each as long as its share of the longest.
    bars = b.run("Array.from(document.querySelectorAll('#causes rect[data-key]')).map(function (r)"
                 "{ return [r.dataset.key, +r.getAttribute('width')]; })")
    check(len(bars) > 0, "%s: no bars" % what)
    for key, width in bars:
        check(abs(width / bars[0][1] - values[key] / values[bars[0][0]]) < 0.005,
              "%s: bar %s" % (what, key))
    # Latencies: on a logarithmic axis, so equal ratios are equal distances.
    marks = b.run("Array.from(document.querySelectorAll('#latency path.mark')).map(function (m) {"
                  "return [m.dataset.key, +m.dataset.value, +m.getAttribute('d').match("
                  "/[0-9.]+/)[0]]; })")
    check(len(marks) >= 4, "%s: marks of latencies" % what)
    for key, value, x in marks:
        check(value == values["time." + key], "%s: mark %s" % (what, key))
    low, high = min(marks, key=lambda m: m[1]), max(marks, key=lambda m: m[1])
    for key, value, x in marks:
        want = low[2] + (high[2] - low[2]) * math.log(value / low[1]) / math.log(high[1] / low[1])
        check(abs(x - want) < 0.5, "%s: place of mark %s" % (what, key))
    # Classes: as high as the pages that they hold.
    rows = next(v for k, v in result["counters"].items() if k.endswith(".classes"))
    pages = {r[1]: r[-3] for r in rows}
    stacks = b.run("Array.from(document.querySelectorAll('#classes g[data-x]')).map(function (g) {"
                   "return [g.querySelector('title').textContent, +g.dataset.value,"
                   "Array.from(g.querySelectorAll('path')).reduce(function (h, p) {"
                   "return h + p.getBBox().height; }, 0)]; })")
    check(len(stacks) == len(pages), "%s: number of classes" % what)
    scale = max(s[2] for s in stacks) / max(pages.values())
    for title, value, height in stacks:
        held = pages[int(re.search(r", (\d+) bytes", title).group(1))]
        check(value == held * 4096 and abs(height - held * scale) < 0.1,
              "%s: height of %s" % (what, title))
    # The map holds every access once, and can be walked over.
    heat = data["charts"]["accesses"]
    check(sum(heat["accesses"]) == result["trace"]["ops"], "%s: accesses of the map" % what)
    b.run("document.querySelector('svg[data-chart=accesses]').focus()")
    for key in ("Home", "ArrowRight", "ArrowUp"):
        b.key(key)
    out = b.run("document.querySelector('#accesses output').textContent")
    check(": %d accesses, " % heat["accesses"][heat["rows"] + 1] in out, "%s: %s" % (what, out))


def check_sweep(b, trace):
    """60 points over three knobs: cells, points and rows against the JSON lines."""
    page, lines = scratch_file("sweep.html"), scratch_file("sweep.json")
    refault("sweep", trace, "--set", "memory.max=50%", "--set", "zswap.enabled=1",
            "--sweep", "zswap.max_pool_percent=1,2,5,10,20,40", "--sweep",
            "zswap.compressor=lzo,lz4,zstd,deflate,842", "--sweep", "vm.page-cluster=0,3",
            "--html", page, "--json", lines, "--progress", "never", "-q")
    results = [json.loads(line) for line in open(lines)]
    check_page(b, page, "sweep")
    knobs = ["zswap.max_pool_percent", "zswap.compressor", "vm.page-cluster"]
    want = {tuple(str(r["config"][k]) for k in knobs): values_of(r) for r in results}
    check(len(want) == 60, "sweep: number of results")
    rows = b.run("Array.from(document.querySelectorAll('#runs tbody tr')).map(function (r) {"
                 "return Array.from(r.cells).map(function (c) {"
                 "return [c.textContent, c.dataset.key, c.dataset.value]; }); })")
    check(len(rows) == 60, "sweep: number of rows")
    for row in rows:
        values = want[tuple(c[0] for c in row[:3])]
        for text, key, value in row[4:]:
            if value is not None:
                check(float(value) == values[key] and near(amount(text), values[key], 0.006),
                      "sweep: %s says %s" % (key, text))
    # Heat maps: of both values of vm.page-cluster, though only one is seen at a time.
    cells = b.run("Array.from(document.querySelectorAll('[data-group] g[data-key]')).map(function"
                  " (g) { return [g.querySelector('title').textContent, g.dataset.key,"
                  "+g.dataset.value]; })")
    check(len(cells) % 60 == 0 and len(cells) >= 240, "sweep: number of cells")
    for title, key, value in cells:
        point = tuple(re.search(k + "=([^,:]+)", title).group(1) for k in knobs)
        check(want[point][key] == value, "sweep: cell %s" % title)
    check(b.run("Array.from(document.querySelectorAll('[data-group]')).filter(function (g) {"
                "return !g.hidden; }).length") == 1, "sweep: one group is seen")
    b.run("(function () { var s = document.querySelector('select'); s.value = '1';"
          "s.dispatchEvent(new Event('change')); }())")
    check(b.run("document.querySelector('[data-group]:not([hidden])').dataset.group") == "1",
          "sweep: the other group is seen")
    # The front: what no other point beats.
    dots = b.run("Array.from(document.querySelectorAll('#front-written circle')).map(function (c) {"
                 "return [+c.dataset.x, +c.dataset.y, c.getAttribute('class')]; })")
    check(sorted(d[:2] for d in dots) ==
          sorted([v["vmstat.pswpout"] * 4096, v["time.stall_ns"]] for v in want.values()),
          "sweep: dots")
    for x, y, style in dots:
        beaten = any(u <= x and v <= y and (u < x or v < y) for u, v, _ in dots)
        check(style == ("beaten" if beaten else "front"), "sweep: dot at %g, %g" % (x, y))


def check_repro(b):
    page, result = scratch_file("repro.html"), scratch_file("repro.json")
    refault("repro", "seed-004", "--html", page, "--json", result)
    result = json.load(open(result))
    check_page(b, page, "repro", sections=1)
    rows = b.run("Array.from(document.querySelectorAll('#criteria1 tbody tr')).map(function (r) {"
                 "return Array.from(r.cells).map(function (c) { return c.textContent; }); })")
    check(len(rows) == len(result["criteria"]) > 10, "repro: number of criteria")
    for row, c in zip(rows, result["criteria"]):
        check(row[0] == c["id"] and float(row[2]) == c["value"] and float(row[5]) == c["low"] and
              float(row[6]) == c["high"] and row[7] == ("not judged" if not c["judged"] else "holds" if c["pass"]
                                                     else "fails"),
              "repro: row %s" % row)
    # A dot stands in its band as the value does in its range.
    by_id = {c["id"]: c for c in result["criteria"]}
    drawn = b.run("Array.from(document.querySelectorAll('#bands1 g[data-key]')).map(function (g) {"
                  "var r = g.querySelector('.band'); return [g.dataset.key, +r.getAttribute('x'),"
                  "+r.getAttribute('width'), +g.querySelector('circle').getAttribute('cx')]; })")
    check(len(drawn) == sum(c["low"] < c["high"] or not c["pass"] for c in result["criteria"]) > 0,
          "repro: number of bands")
    for key, x, width, dot in drawn:
        c = by_id[key]
        check(abs((dot - x) / width - (c["value"] - c["low"]) / (c["high"] - c["low"])) < 0.01,
              "repro: place of %s" % key)


def check_validate(b):
    page, result = scratch_file("validate.html"), scratch_file("validate.json")
    refault("validate", os.path.join(source, "tests", "golden"), "--case", "zram_*", "--html",
            page, "--json", result, "--progress", "never")
    result = json.load(open(result))
    check_page(b, page, "validate")
    want = {}
    for case in result["cases"]:
        for name, row in case["counters"].items():
            if row["judged"]:
                want.setdefault((case["case"], name), []).append(
                    (row["refault"], round(row["error"] * 100, 6)))
    have = {}
    cells = b.run("Array.from(document.querySelectorAll('g[data-value][data-key]')).map(function"
                  " (g) { return [g.querySelector('title').textContent, +g.dataset.value,"
                  "g.querySelector('rect').getAttribute('class')]; })")
    levels = [0, 0.1, 0.5, 1, 2, 5]
    for title, value, style in cells:
        case, name = title.split(":")[0].split(" ")
        number = int(re.search(r"refault (-?\d+)", title).group(1))
        have.setdefault((case, name), []).append((number, round(value, 6)))
        check(style == "cell h%d" % (1 + sum(value > v for v in levels)),
              "validate: colour of %s" % title)
    check({k: sorted(v) for k, v in have.items()} == {k: sorted(v) for k, v in want.items()} and
          len(want) > 10, "validate: cells of the matrices")


def table_cells(b, table):
    return b.run("Array.from(document.querySelectorAll('#%s tbody tr')).map(function (r) {"
                 "return Array.from(r.cells).map(function (c) {"
                 "return [c.textContent, c.dataset.key, c.dataset.value]; }); })" % table)


def same(a, b):
    """Whether two JSON values are the same; a page has ten digits of what is no integer."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-9 * abs(b)
    return a == b


def check_embedded(b, result, what):
    data = json.loads(b.run("document.getElementById('data').textContent"))
    check(same(data["result"], result), "%s: embedded result" % what)
    return data


def check_tune(b, trace):
    page, result = scratch_file("tune.html"), scratch_file("tune.json")
    refault("tune", trace, "--set", "memory.max=50%", "--set", "zswap.enabled=1", "--against",
            "memory", "--against", "written", "--sweep", "zswap.max_pool_percent=2,5,10,20,40",
            "--sweep", "vm.page-cluster=0..3", "--html", page, "--json", result, "-q")
    result = json.load(open(result))
    check_page(b, page, "tune")
    check_embedded(b, result, "tune")
    whole = [p for p in result["points"] if p["exact"]]
    cards = b.run("Array.from(document.querySelectorAll('[data-card]')).map(function (c) {"
                  "return [c.dataset.card, +c.dataset.value, c.textContent]; })")
    check({c[0]: c[1] for c in cards} == result["best"]["metrics"], "tune: cards")
    for name, value, text in cards:
        check(near(amount(text), value, 0.006), "tune: card %s says %s" % (name, text))
    rows = table_cells(b, "whole")
    check(len(rows) == len(whole) == result["exact"], "tune: number of rows")
    for row, point in zip(rows, whole):
        check([c[0] for c in row[:2]] == [point["knobs"][k] for k in
                                          ("zswap.max_pool_percent", "vm.page-cluster")],
              "tune: knobs of %s" % row)
        check({c[1]: int(c[2]) for c in row[3:6]} == point["metrics"], "tune: metrics of %s" % row)
        check((row[6][0] == "best") == (point["knobs"] == result["best"]["knobs"]),
              "tune: which is the best")
    for number, other in ((1, "memory"), (2, "written")):
        dots = b.run("Array.from(document.querySelectorAll('#front%d circle')).map(function (c) {"
                     "return [+c.dataset.x, +c.dataset.y]; })" % number)
        check(sorted(dots) == sorted([p["metrics"][other], p["metrics"]["stall"]] for p in whole
                                     if p["bounds"] and p["outcome"] == "done"),
              "tune: dots of %s" % other)


def check_mrc(b, trace):
    page, result = scratch_file("mrc.html"), scratch_file("mrc.json")
    refault("mrc", trace, "--set", "zswap.enabled=1", "--rate", "0.5", "--sizes",
            "100%,20%..90%:10%", "--html", page, "--json", result, "-q")
    result = json.load(open(result))
    points = sorted(result["points"], key=lambda p: p["pages"])
    check_page(b, page, "mrc")
    charts = check_embedded(b, result, "mrc")["charts"]
    check(charts["misses"]["x"] == [p["pages"] * 4096 for p in points], "mrc: sizes")
    check(all(near(a, p["miss_ratio"], 1e-8) for a, p in
              zip(charts["misses"]["lines"][0]["y"], points)), "mrc: miss ratios")
    check(charts["stall"]["lines"][0]["y"] == [p["stall"]["stall_ns"] for p in points],
          "mrc: stalls")
    check(charts["stall"]["lines"][1]["y"] == [p["stall"].get("exact_stall_ns") for p in points],
          "mrc: exact stalls")
    for chart_id, line, want in (("misses", 0, points[-1]["miss_ratio"]),
                                 ("stall", 0, points[-1]["stall"]["stall_ns"])):
        chart = b.run(CHART % chart_id)
        got, top = on_axis(chart, last_y(chart["lines"][line])), on_axis(chart, chart["ticks"][-1][1])
        check(abs(got - want) < 0.005 * top, "mrc: %s ends at %g, not at %g" % (chart_id, got, want))
    rows = table_cells(b, "points")
    check(len(rows) == len(points), "mrc: number of rows")
    for row, p in zip(rows, points):
        check(row[0][0] == p["memory.max"] and int(row[1][2]) == p["pages"] and
              int(row[2][2]) == p["misses"] and int(row[4][2]) == p["stall"]["stall_ns"] and
              near(amount(row[4][0]), p["stall"]["stall_ns"], 0.006), "mrc: row %s" % row)


def check_nothing(b, trace):
    """What has no number says why: sizes out of memory, a sweep without a difference."""
    page = scratch_file("nothing.html")
    refault("mrc", trace, "--sizes", "1%,100%", "--set", "swap.size=64K", "--html", page, "-q")
    check_page(b, page, "mrc oom", sections=1)
    check([r[4][0] for r in table_cells(b, "points")][0] == "oom", "mrc: oom in the table")
    refault("sweep", trace, "--sweep", "vm.page-cluster=0..2", "--html", page, "-q")
    check_page(b, page, "sweep without a difference", sections=1)
    check("No metric differs" in b.run("document.getElementById('metrics').textContent"),
          "sweep: no difference")


def check_narrow(b, trace):
    """Texts of a heat map with many columns stay in their cells."""
    page = scratch_file("narrow.html")
    refault("sweep", trace, "--set", "memory.max=50%", "--set", "zswap.enabled=1", "--sweep",
            "zswap.max_pool_percent=5..50:5", "--sweep", "vm.page-cluster=0,3", "--html", page, "-q")
    b.view(375, 800, phone=True)
    b.load(page)
    texts = b.run("Array.from(document.querySelectorAll('g[data-key] text')).map(function (t) {"
                  "return [t.getComputedTextLength(),"
                  "+t.parentNode.querySelector('rect').getAttribute('width')]; })")
    check(len(texts) >= 40, "narrow: number of texts")
    check(all(text < cell for text, cell in texts), "narrow: a text is wider than its cell")


def check_compare(b, trace):
    page, result = scratch_file("compare.html"), scratch_file("compare.json")
    names = []
    for percent in (0, 1):
        names.append(scratch_file("run%d.json" % percent))
        refault("replay", trace, "--set", "memory.max=50%", "--set", "zswap.enabled=%d" % percent,
                "--json", names[-1], "-q")
    refault("compare", *names, "--html", page, "--json", result, "-q")
    runs = [values_of(json.load(open(n))) for n in names]
    result = json.load(open(result))
    check_page(b, page, "compare")
    check_embedded(b, result, "compare")
    rows = table_cells(b, "all")
    check(len(rows) == len(result["values"]) > 50, "compare: number of rows")
    for row, value in zip(rows, result["values"]):
        check(row[0][0] == value["name"] and
              [None if c[2] is None else int(c[2]) for c in row[1:3]] == value["values"],
              "compare: row %s" % row)
        if value["ratios"][0] is not None:
            check(near(float(row[3][2]), value["ratios"][0], 1e-9), "compare: ratio of %s" % row)
    knobs = table_cells(b, "differ")
    check({r[0][0]: [r[1][0], r[2][0]] for r in knobs} == result["knobs"], "compare: knobs")
    # Bars: as long as their values are to the longest of their chart.
    bars = b.run("Array.from(document.querySelectorAll('figure')).map(function (f) {"
                 "return Array.from(f.querySelectorAll('rect[data-key]')).map(function (r) {"
                 "return [r.dataset.key, +r.dataset.value, +r.getAttribute('width')]; }); })")
    check(len(bars) >= 10, "compare: number of charts")
    for chart in bars:
        most = max(chart, key=lambda c: c[1])
        for key, value, width in chart:
            check(abs(width / most[2] - value / most[1]) < 0.01, "compare: bar of %s" % key)
    shown = [tuple(c[1] for c in chart) for chart in bars]
    check(len(set(shown)) == len(shown), "compare: charts with the same numbers")
    stall = next(c for c in bars if c[0][0] == "stall_ns")
    check([c[1] for c in stall] == [r["time.stall_ns"] for r in runs], "compare: stalls")


def main():
    trace = scratch_file("<img src=x onerror=alert(1)>&amp;\".rft")
    refault("gen", "zipf", "--pages", "4K", "--ops", "60K", "-o", trace)
    b = browser.Browser(browser.find_program(), 240)
    try:
        check_replay(b, trace, ["--set", "memory.max=50%", "--set", "zswap.enabled=1"], "zswap",
                     [("residency", 0, "final_present", 4096),
                      ("residency", 2, "zswap.pool_total_size", 1),
                      ("pool", 1, "x.zswap.stored_bytes", 1)])
        check_replay(b, trace, ["--set", "memory.max=60%", "--set", "swap.device=zram0",
                                "--kernel", "6.1"], "zram",
                     [("residency", 1, "final_swapped", 4096),
                      ("pool", 2, "zram.mem_used_total", 1)])
        check_sweep(b, trace)
        check_repro(b)
        check_validate(b)
        check_tune(b, trace)
        check_mrc(b, trace)
        check_compare(b, trace)
        check_nothing(b, trace)
        check_narrow(b, trace)
        check(not b.messages, "the browser said: %s" % b.messages)
    finally:
        b.close()
    print("%d failures" % len(failures))
    return 1 if failures else 0


sys.exit(main())
