"""What a log costs the dispatches that are logged: measured without a wire, each kind beside none."""

import glob
import json
import os
import re
import tempfile
from statistics import median

from . import counting
from .table import spread

KINDS = ("none", "html", "har", "line", "body")
# Those that write off the way of the request, and may have to drop.
FILES = ("html", "har")
# A thread that calls one of these writes, and no request waits for it.
WRITERS = re.compile(r"HTMLLogWriter|HAROutput")


def run(clients, kind, exchanges, whole, core=None):
    """One process: its figures. With `whole` nothing is dropped, as it waits after each 32 exchanges, in no time of theirs."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(counting.run(command(clients, kind, whole, folder)(exchanges), core))


def command(clients, kind, whole, folder):
    variant = f"log-{kind}{'-whole' if whole else ''}"

    def of(exchanges):
        return [
            f"{clients}/bench-dispatch", "--variant", variant, "--output", folder, "--warm-up", "64",
            "--requests", str(exchanges)]

    return of


def rounds(clients, number, exchanges, whole, kinds=KINDS):
    """Rounds of every kind, one after another, each round beginning with another one."""
    for index in range(number):
        first = index % len(kinds)
        yield {kind: run(clients, kind, exchanges, whole) for kind in kinds[first:] + kinds[:first]}


def row(kind, found):
    """From rounds to what the table shows of a kind; ratios are those of one round."""
    own = [figures[kind] for figures in found]
    paths = [figures["pathSeconds"] / figures["requests"] * 1e6 for figures in own]
    return {
        "log": kind,
        "pathMicroseconds": median(paths), "pathSpread": spread(paths),
        "pathRatioToNone": median(
            figures[kind]["pathSeconds"] / figures["none"]["pathSeconds"] for figures in found),
        "cpuMicroseconds": median(figures["cpuSeconds"] / figures["requests"] * 1e6 for figures in own),
        "cpuRatioToNone": median(
            figures[kind]["cpuSeconds"] / figures["none"]["cpuSeconds"] for figures in found),
        "peakBytes": median(figures["peakBytes"] for figures in own),
        "dropped": median(figures["dropped"] for figures in own),
        "writtenBytes": median(figures["written"] for figures in own)}


def instructions(clients, kind, keep=None, lengths=counting.CALLGRIND_LENGTHS):
    """Of an exchange that is written: on the way of the request, and in the threads that write."""
    found = []
    for length in lengths:
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/log")
            place = f"{keep or folder}/callgrind.log-{kind}.{length}"
            for old in glob.glob(f"{place}-*"):
                os.remove(old)
            words = command(clients, kind, kind in FILES, f"{folder}/log")(length)
            counting.account(words, place, options=["--separate-threads=yes"])
            found.append(by_thread(glob.glob(f"{place}-*")))
    return tuple((after - before) / (lengths[1] - lengths[0]) for before, after in zip(*found))


def by_thread(profiles):
    """The sums of those threads that do not write, and of those that do."""
    sums = [0, 0]
    for profile in profiles:
        with open(profile) as file:
            text = file.read()
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        sums[bool(WRITERS.search(text))] += int(total.group(1)) if total else 0
    return sums
