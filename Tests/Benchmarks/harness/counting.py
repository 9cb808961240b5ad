"""User instructions and system calls of a request: what two runs of different lengths differ by."""

import os
import re
import subprocess

from .system import fail

SHORT, LONG = 200, 1200


def per_request(measure, command, short=SHORT, long=LONG):
    """What `measure` gives for a longer run, less what it gives for a shorter one, by request."""
    return (measure(command(long)) - measure(command(short))) / (long - short)


def instructions(command, profile):
    """User instructions of a process, by callgrind, which leaves its account in `profile`."""
    valgrind = ["valgrind", "--tool=callgrind", "--fair-sched=yes", f"--callgrind-out-file={profile}"]
    run(valgrind + command)
    with open(profile) as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE).group(1))


def system_calls(command, account):
    """System calls of a process and their number by name, by strace."""
    run(["strace", "-f", "-c", "-U", "name,calls", "-o", account] + command)
    with open(account) as file:
        rows = [line.split() for line in file]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit() and row[0] != "total"}


def system_calls_per_request(command, account, short=SHORT, long=LONG):
    """By name."""
    before, after = system_calls(command(short), account), system_calls(command(long), account)
    return {name: (after[name] - before.get(name, 0)) / (long - short) for name in after}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, env=plain_environment(), timeout=600)
    if done.returncode != 0:
        fail(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def plain_environment():
    """Without what makes clients differ from machine to machine."""
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


def annotate(profile, inclusive, lines):
    """The functions that `callgrind_annotate` finds dearest."""
    flag = f"--inclusive={'yes' if inclusive else 'no'}"
    text = run(["callgrind_annotate", flag, "--threshold=100", profile])
    rows = [line for line in text.splitlines() if re.match(r"\s*[\d,]+ ", line)]
    return subprocess.run(
        ["swift", "demangle", "--compact"], input="\n".join(rows[:lines]), capture_output=True, text=True).stdout
