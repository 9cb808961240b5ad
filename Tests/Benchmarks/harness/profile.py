"""Where the instructions of a request go: the difference of two accounts of callgrind."""

import re
import subprocess
from collections import Counter

from .counting import run

ROW = re.compile(r"^\s*([\d,]+) \(\s*[\d.]+%\)\s+(?:\?\?\?:|[^\s:]*/[^\s:]*:)?(\S.*)$")


def show(profiles, requests, lines):
    """Prints instructions a request: of libraries, of functions by themselves, and with what they call.

    `requests` is how many more the second profile has. What a function calls is not to be trusted where tasks resume
    one another: callgrind takes a jump to the next part for a call.
    """
    own = difference(profiles, requests, inclusive=False)
    libraries = Counter()
    for name, count in own.items():
        libraries[library(name)] += count
    table("libraries", libraries, lines)
    table("functions by themselves", own, lines)
    table("functions with what they call", difference(profiles, requests, inclusive=True), lines)


def difference(profiles, requests, inclusive):
    before, after = [functions(profile, inclusive) for profile in profiles]
    return Counter({name: (count - before[name]) / requests for name, count in after.items()})


def functions(profile, inclusive):
    flag = f"--inclusive={'yes' if inclusive else 'no'}"
    found = Counter()
    for line in run(["callgrind_annotate", flag, "--threshold=100", profile]).splitlines():
        row = ROW.match(line)
        if row and row.group(2) != "PROGRAM TOTALS":
            name = re.sub(r"\[.*/([^/]*)\]$", r"[\1]", row.group(2))
            found[name] += int(row.group(1).replace(",", ""))
    return found


def library(name):
    place = re.search(r"\[([^\]]*)\]$", name)
    return place.group(1) if place else "inlined, or without a library"


def table(title, counts, lines):
    rows = "\n".join(f"  {count:10,.0f}  {name}" for name, count in counts.most_common(lines) if count >= 1)
    plain = subprocess.run(["swift", "demangle", "--simplified"], input=rows, capture_output=True, text=True)
    print(f"{title}:\n{plain.stdout}")
