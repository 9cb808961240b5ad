"""User instructions and system calls of a request: what two runs of different lengths differ by."""

import os
import re
import subprocess

from .system import CLIENT_CORE, fail, pinned

# Run lengths whose difference repeats within 2 %: requests of the shorter and of the longer run.
CALLGRIND_LENGTHS = (500, 3500)
STRACE_LENGTHS = (2000, 12000)


def instructions_per_request(command, profiles, lengths=CALLGRIND_LENGTHS, core=CLIENT_CORE):
    """`command` gives the command for a number of requests; the accounts are left in `profiles`, a path for each."""
    counts = [instructions(command(length), profile, core) for length, profile in zip(lengths, profiles)]
    return (counts[1] - counts[0]) / (lengths[1] - lengths[0])


def system_calls_per_request(command, account, lengths=STRACE_LENGTHS):
    """By name."""
    before, after = [system_calls(command(length), account) for length in lengths]
    return {name: (after[name] - before.get(name, 0)) / (lengths[1] - lengths[0]) for name in after}


def instructions(command, profile, core=CLIENT_CORE):
    """User instructions of a process, by callgrind, which leaves its account in `profile`."""
    account(command, profile, core)
    with open(profile) as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE).group(1))


def account(command, profile, core=CLIENT_CORE, options=()):
    """Runs a process under callgrind, which leaves its account in `profile`."""
    valgrind = ["valgrind", "--tool=callgrind", "--fair-sched=yes", f"--callgrind-out-file={profile}"]
    run(valgrind + list(options) + command, core)


def system_calls(command, account):
    """System calls of a process and their number by name, by strace."""
    run(["strace", "-f", "-c", "-U", "name,calls", "-o", account] + command)
    with open(account) as file:
        rows = [line.split() for line in file]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit() and row[0] != "total"}


def run(command, core=CLIENT_CORE):
    """What a command prints; without a core it may run on any."""
    words = command if core is None else pinned(core) + command
    done = subprocess.run(words, capture_output=True, text=True, env=plain_environment(), timeout=600)
    if done.returncode != 0:
        fail(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def plain_environment():
    """Without what makes clients differ from machine to machine."""
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


