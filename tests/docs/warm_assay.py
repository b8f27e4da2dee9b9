"""An `assay` that starts fast, so that a shell can run hundreds of documented commands as they are written.

A new process imports Inspect and Assay for seconds. Here one process imports them once; the program `assay`
on the shell's path is a small client, and each call is a fork of that process with the caller's arguments,
folder, environment and streams.

    python -m tests.docs.warm_assay SOCKET      # the process that is forked
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOCKET_VARIABLE = "ASSAY_WARM_SOCKET"

CLIENT = f"""#!{sys.executable} -IS
import json, os, signal, socket, sys
call = {{"arguments": ["assay", *sys.argv[1:]], "folder": os.getcwd(), "environment": dict(os.environ)}}
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["{SOCKET_VARIABLE}"])
socket.send_fds(connection, [b"call"], [0, 1, 2])
connection.sendall(json.dumps(call).encode() + b"\\n")
answers = connection.makefile()
process = int(answers.readline())
signal.signal(signal.SIGINT, lambda number, frame: os.kill(process, number))
sys.exit(int(answers.readline() or 70))
"""

PIP = f"""#!/bin/sh
# `pip install` of a page goes into a folder of the reader, not into the environment of the tests.
exec {sys.executable} -m pip "$@" --target "$PYTHONPATH" --no-deps
"""


@contextlib.contextmanager
def warm_assay(folder: Path, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Serve during the `with` block; yields an environment in which `assay` is the client."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in {"assay": CLIENT, "pip": PIP}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    address = folder / "socket"
    own_programs = str(Path(sys.executable).parent)
    path = os.pathsep.join([str(programs), own_programs, environment.get("PATH", os.defpath)])
    environment = {**environment, "PATH": path, SOCKET_VARIABLE: str(address)}
    command = [sys.executable, "-m", "tests.docs.warm_assay", str(address)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)
    try:
        while not address.exists():
            assert process.poll() is None, "the warm process ended before it served"
            time.sleep(0.05)
        yield environment
    finally:
        process.terminate()
        process.wait()


def serve(address: str) -> None:
    """Fork for each connection; in a fork that is to run a command, return."""
    listener = socket.socket(socket.AF_UNIX)
    waiting = f"{address}.waiting"
    listener.bind(waiting)
    listener.listen()
    Path(waiting).rename(address)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        listener.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _become_caller(connection)
        return


def _become_caller(connection: socket.socket) -> None:
    """Fork once more: return in the fork, as the caller; the other waits and sends the exit code."""
    _, streams, _, _ = socket.recv_fds(connection, len(b"call"), 3)
    call = json.loads(connection.makefile().readline())
    process = os.fork()
    if process:
        connection.sendall(f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status) % 256}\n".encode())
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    os.environ.pop(SOCKET_VARIABLE)
    sys.path[1:1] = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.argv = call["arguments"]


def _import_everything() -> None:
    """Import what commands import only when they need it, and read the demo's tasks."""
    import openai  # noqa: F401

    import assay
    from assay.agents import find_agent
    from assay.benchmarks import load_suite

    for name in assay.__all__:
        getattr(assay, name)
    load_suite("demo")
    find_agent("oracle")
    gc.freeze()


if __name__ == "__main__":
    _import_everything()
    serve(sys.argv[1])
    __package__ = None  # `--help` then names the program as a shell does
    from assay.cli import main

    main()
