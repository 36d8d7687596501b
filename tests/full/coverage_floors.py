#!/usr/bin/env python3
"""Reads the line coverage that `cargo llvm-cov report --json --summary-only` exports and holds it to its floors.

Prints one line per crate and module, both sums, and fails when a sum is below its floor.
"""

import json
import os
import re
import sys

PURE = "model engine content_parser tool_output settings source views".split()
FLOORS = {"the pure layers": 95.0, "all crates": 85.0}


def crate_of(path, root):
    """Returns the crate of a source file of ours, nothing for any other file."""
    inside = os.path.relpath(path, root)
    found = re.match(r"src/([a-z_]+)(?:\.rs|/)", inside)
    return found.group(1) if found else None


def share(lines):
    count, covered = lines
    return 100.0 * covered / count if count else 100.0


def main():
    export, root = sys.argv[1], os.path.realpath(sys.argv[2])
    with open(export, encoding="utf-8") as file:
        files = json.load(file)["data"][0]["files"]
    crates = {}
    for measured in files:
        crate = crate_of(measured["filename"], root)
        if crate:
            lines = measured["summary"]["lines"]
            count, covered = crates.get(crate, (0, 0))
            crates[crate] = (count + lines["count"], covered + lines["covered"])
    if missing := [crate for crate in PURE if crate not in crates]:
        sys.exit(f"coverage: nothing was measured of {', '.join(missing)}")
    for crate in sorted(crates, key=lambda crate: share(crates[crate])):
        floor = "the pure layers" if crate in PURE else ""
        print(f"  {crate:<16} {share(crates[crate]):6.2f} %  of {crates[crate][0]:5} lines  {floor}")
    sums = {
        "the pure layers": [crates[crate] for crate in PURE],
        "all crates": list(crates.values()),
    }
    failed = False
    for name, lines in sums.items():
        reached = share(tuple(map(sum, zip(*lines))))
        failed |= reached < FLOORS[name]
        print(f"coverage of {name}: {reached:.2f} % of lines, at least {FLOORS[name]:.0f} %")
    sys.exit("coverage: below its floor" if failed else 0)


if __name__ == "__main__":
    main()
