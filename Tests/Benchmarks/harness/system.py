"""Commands, cores and packages of the machine."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fail(message):
    sys.exit(f"benchmarks: {message}")


def stop_on_signal():
    """Lets a signal end the program the way an exception does: servers stop, temporary folders go."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def quietly(*command, **options):
    """Runs a command; shows its output only when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        fail(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def install(tools):
    """Installs what is missing; `tools` says which Debian package has which command or file."""
    missing = [package for tool, package in tools.items() if not find(tool)]
    if not missing:
        return
    if not shutil.which("apt-get"):
        fail(f"install these by hand: {' '.join(missing)}")
    root = [] if os.getuid() == 0 else ["sudo"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quietly(*root, "apt-get", "update", "-q")
    quietly(*root, "apt-get", "install", "-q", "-y", "--no-install-recommends", *missing, env=environment)


def find(tool):
    """The path of a command, or of a file that is there."""
    if os.path.isabs(tool):
        return tool if os.path.exists(tool) else None
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/sbin")


def pinned(core):
    """The words before a command that keep it on a core; none where there is one core only."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core])] if len(cores) > 1 else []


SERVER_CORE, CLIENT_CORE = 0, 1


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port):
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    fail(f"nothing listens on port {port}")
