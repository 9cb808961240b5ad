"""Builds the clients: in release, and without debug information, which valgrind 3.19 cannot read."""

import os
import sys

from .system import HERE, install, quietly


def build(products=(), everything=False):
    """Builds the named clients, or all of them; gives their folder. Only `everything` resolves a package."""
    if not products:
        install({"curl-config": "libcurl4-openssl-dev"})
    environment = {**os.environ, "ERRAND_PEERS": "all" if everything else "none"}
    scratch = os.path.join(HERE, ".build-peers" if everything else ".build")
    command = ["swift", "build", "-c", "release", "-j", "2", "-debug-info-format", "none", "--package-path", HERE, "--scratch-path", scratch]
    os.makedirs(statistics_folder(), exist_ok=True)
    command += ["-Xswiftc", "-stats-output-dir", "-Xswiftc", statistics_folder()]
    print("building in", os.path.relpath(scratch), file=sys.stderr, flush=True)
    for product in products or [None]:
        quietly(*command, *(["--product", product] if product else []), env=environment)
    return os.path.join(scratch, "release")


def statistics_folder():
    """Where the compiler leaves its statistics, one file for each build of a module."""
    return os.path.join(HERE, ".build", "statistics")
