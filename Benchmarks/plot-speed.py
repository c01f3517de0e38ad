#!/usr/bin/env python3
"""Draws results/speed.svg, Longhaul's speed against curl, from results/table.md.

Benchmarks/plot-speed.py           writes it
Benchmarks/plot-speed.py --check   fails if it differs from the table
"""

import os
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
# The case of scripts/bench, the start of the row's title if the case has several, and the label.
BARS = [
    ("download", "", "Download of 4 GiB"),
    ("download-tls", "", "Download of 4 GiB over TLS"),
    ("upload", "", "Upload of 4 GiB"),
    ("upload-tls", "", "Upload of 4 GiB over TLS"),
    ("small-down", "20000", "20,000 downloads of 16 KiB"),
    ("small-up", "", "20,000 uploads of 16 KiB"),
    ("far", "500 × 16 KiB over 50 ms, HTTP/2", "500 downloads, round trip of 50 ms"),
]
LEFT, WIDTH, LINE, TOP = 300, 400, 34, 56
INK, FAINT, FASTER, SLOWER = "#222222", "#dddddd", "#2a7f62", "#c0562f"


def rows():
    """The rows of the table that compare the speed with curl's."""
    with open(f"{RESULTS}/table.md", encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 9 and cells[2] == "speed" and cells[5].startswith("curl: "):
                low, high = map(float, cells[7].split("–"))
                yield cells[0], cells[1], int(cells[3]), float(re.sub(r"[*×]", "", cells[6])), low, high


def picture():
    measured = list(rows())
    bars = []
    for case, title, label in BARS:
        bars += [(label, *row[2:]) for row in measured if row[0] == case and row[1].startswith(title)][:1]
    runs = {row[1] for row in bars}
    end = max(2, *(int(high) + 1 for *_, high in bars))
    height = TOP + LINE * len(bars) + 56

    def x(ratio):
        return round(LEFT + WIDTH * ratio / end, 1)

    def beside(end_of_line):
        """The position of a number: to the right of the line, and of curl's line if the number would cover it."""
        return (x(1) if x(1) - 60 < end_of_line < x(1) else end_of_line) + 8

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} {height}" font-family="sans-serif" font-size="14">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="12" y="28" font-size="17" fill="{INK}">Throughput relative to curl (longer is faster)</text>',
    ]
    for tick in range(end + 1):
        color = "#555555" if tick == 1 else FAINT
        parts.append(f'<line x1="{x(tick)}" y1="{TOP - 8}" x2="{x(tick)}" y2="{height - 46}" stroke="{color}"/>')
        label = "1× (curl)" if tick == 1 else f"{tick}×"
        parts.append(f'<text x="{x(tick)}" y="{height - 30}" text-anchor="middle" fill="#555555">{label}</text>')
    for index, (label, _, value, low, high) in enumerate(bars):
        y = TOP + index * LINE
        parts += [
            f'<text x="{LEFT - 10}" y="{y + 16}" text-anchor="end" fill="{INK}">{label}</text>',
            f'<rect x="{x(0)}" y="{y}" width="{round(x(value) - x(0), 1)}" height="22" fill="{FASTER if value >= 1 else SLOWER}"/>',
            f'<line x1="{x(low)}" y1="{y + 11}" x2="{x(high)}" y2="{y + 11}" stroke="{INK}"/>',
            f'<text x="{beside(x(high))}" y="{y + 16}" fill="{INK}">{value:.2f}×</text>',
        ]
    count = f"{min(runs)}" if len(runs) == 1 else f"{min(runs)} to {max(runs)}"
    parts.append(
        f'<text x="12" y="{height - 8}" font-size="12" fill="#555555">'
        f"Median of {count} pairs of runs over loopback, or over a simulated network; lines: lowest to highest pair.</text>")
    return "\n".join([*parts, "</svg>", ""])


def main():
    drawn = picture()
    if sys.argv[1:] == ["--check"]:
        with open(f"{RESULTS}/speed.svg", encoding="utf-8") as file:
            return 0 if file.read() == drawn else 1
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    with open(f"{RESULTS}/speed.svg", "w", encoding="utf-8") as file:
        file.write(drawn)
    return 0


sys.exit(main())
