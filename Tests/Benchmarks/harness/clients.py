"""Runs one process of one peer and reads what it measured."""

import json
import os
import subprocess
import tempfile
import time

from .counting import plain_environment
from .system import CLIENT_CORE, pinned

TIMEOUT = 60


def measure(clients, server, workload, peer, in_flight, scale):
    """One round of one peer: a dictionary of figures, or None when it failed."""
    connections = server.connections()
    with tempfile.TemporaryDirectory(dir=server.folder) as folder:
        run = curl if peer == "curl" else client
        found = run(clients, server, workload, peer, in_flight, scale, f"{folder}/output")
    if found:
        found["connections"] = server.connections() - connections - 1
    return found


def client(clients, server, workload, peer, in_flight, scale, output):
    requests = workload.count(peer, in_flight, scale)
    uploads = workload.mode in ("upload", "form")
    options = {
        "--base": server.of(workload.tls), "--path": workload.path, "--mode": workload.mode,
        "--in-flight": in_flight, "--requests": requests,
        "--output": server.large if uploads else output,
        "--warm-up": max(workload.warm_up, in_flight) if workload.warm_up else 0,
        "--size": 0 if workload.mode == "decoded" else server.size("large.bin" if uploads else workload.path),
        **workload.extra}
    if workload.tls:
        options["--authority"] = server.authority
    variant = workload.extra.get("--variant")
    name = f"bench-{peer}" if not variant else "bench-scheduler" if variant.startswith("scheduler") else "bench-dispatch"
    line = execute([f"{clients}/{name}"], options)
    if not line:
        return None
    found = json.loads(line)
    if variant:
        counted = execute([f"{clients}/{name}"], {**options, "--requests": 5000, "--allocations": 1})
        found["allocationsPerRequest"] = json.loads(counted)["allocations"] / 5000
    return figures(workload, found)


def execute(command, options):
    words = [str(word) for option in options.items() for word in option]
    started = ["--started", str(time.monotonic_ns())]
    try:
        done = subprocess.run(
            pinned(CLIENT_CORE) + command + words + started, capture_output=True, text=True, timeout=TIMEOUT,
            env=plain_environment())
    except subprocess.TimeoutExpired:
        return complain(command, f"not done after {TIMEOUT} s")
    return done.stdout if done.returncode == 0 else complain(command, done.stderr or f"exit {done.returncode}")


def complain(command, reason):
    print(f"  {os.path.basename(command[0])} failed: {reason.strip()[-300:]}", flush=True)
    return None


def figures(workload, found):
    """What the table shows of one process."""
    starts = workload.unit == "start"
    seconds = found["sinceStartSeconds"] if starts else found["seconds"]
    amount = found["bytes"] if workload.unit == "bytes" else found["requests"]
    cpu = found["processCPUSeconds"] if starts else found["cpuSeconds"]
    result = {
        "rate": amount / seconds,
        "cpuMicrosecondsPerRequest": cpu * 1e6 / found["requests"],
        "peakMemoryBytes": found["peakBytes"],
        "grownBytesPerRequest": found["grownBytes"] / found["requests"],
    }
    if "allocationsPerRequest" in found:
        result["allocationsPerRequest"] = found["allocationsPerRequest"]
    return result


def curl(_, server, workload, __, ___, ____, output):
    """The command; its time is that of the transfer, its CPU and memory those of the process."""
    target = output if workload.mode == "file" else "/dev/null"
    source = {"upload": ["-T", server.large, "-H", "Expect:"],
              "form": ["-F", "title=large", "-F", f"file=@{server.large}", "-H", "Expect:"]}.get(workload.mode, [])
    counted = "size_upload" if source else "size_download"
    command = ["curl", "-s", *source, "-o", target, "-w", f"%{{{counted}}} %{{time_total}}",
               f"{server.base}/{workload.path}"]
    process = subprocess.Popen(
        pinned(CLIENT_CORE) + command, stdout=subprocess.PIPE, text=True, env=plain_environment())
    size, seconds = process.stdout.read().split()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wanted = server.size("large.bin" if source else workload.path)
    # A form has some bytes around the file.
    if process.returncode != 0 or not wanted <= int(size) <= wanted + (1000 if workload.mode == "form" else 0):
        return complain(command, f"{size} bytes")
    return {
        "rate": wanted / float(seconds), "cpuMicrosecondsPerRequest": (usage.ru_utime + usage.ru_stime) * 1e6,
        "peakMemoryBytes": usage.ru_maxrss * 1024, "grownBytesPerRequest": 0}
