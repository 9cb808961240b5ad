"""Where the instructions of a request go: the difference of two accounts of callgrind."""

import re
import subprocess
from collections import Counter

# What these call is other work: the next part of a task, or a callback.
RESUMING = re.compile(
    r"swift_task_(switch|create|future|run)|swift_(job_run|continuation)|curl_multi_|start_thread"
    r"|.*(withTask\w*Handler|withTask\w*Group|Continuation)")
NAMED = re.compile(r"\((\d+)\)(?: (.*))?")


def show(profiles, requests, lines):
    """Prints instructions a request: by library, by function, and by function with what it asks of libraries.

    `requests` is how many more the second profile has.
    """
    before, after = [read(profile) for profile in profiles]
    titles = ("libraries", "functions by themselves", "functions of the client with what they ask of libraries")
    for title, short, long in zip(titles, before, after):
        table(title, Counter({name: (count - short[name]) / requests for name, count in long.items()}), lines)


def read(profile):
    """Three counters: by library, by function, by function of the client with what it asks of libraries."""
    libraries, own, asked = Counter(), Counter(), Counter()
    names = {}
    library = callee_library = function = callee = None
    called = False

    def name(kind, text):
        number, full = NAMED.match(text).groups()
        if full is not None:
            names[kind, number] = full
        return names[kind, number]

    with open(profile) as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                library = name("ob", value).rsplit("/", 1)[-1]
            elif key == "fn":
                function = (library, name("fn", value))
                callee_library = None
            elif key == "cob":
                callee_library = name("ob", value).rsplit("/", 1)[-1]
            elif key == "cfn":
                callee = (callee_library or library, name("fn", value))
                callee_library = None
            elif key in ("fl", "fi", "fe", "cfl", "cfi"):
                name("fl", value)
            elif key == "calls":
                called = True
            elif function and line[0] in "0123456789+-*":
                cost = int(line.split()[1])
                if not called:
                    libraries[library] += cost
                    own[function] += cost
                if library.startswith("bench-") and (not called or asks(library, callee)):
                    asked[function] += cost
                called = False
    return libraries, own, asked


def asks(library, callee):
    """Whether a call is work of another library, and not a way back to the client's own."""
    return callee[0] != library and not RESUMING.match(callee[1])


def table(title, counts, lines):
    rows = "\n".join(f"  {count:10,.0f}  {text(name)}" for name, count in counts.most_common(lines) if count >= 1)
    plain = subprocess.run(["swift", "demangle", "--simplified"], input=rows, capture_output=True, text=True)
    print(f"{title}:\n{plain.stdout}")


def text(name):
    return name if isinstance(name, str) else f"{name[1]} [{name[0]}]"
