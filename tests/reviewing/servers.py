"""A real server of the review page in its own process."""

from __future__ import annotations

import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

PATIENCE = 120.0
"""Seconds that a busy machine may need for a start or an end."""


@dataclass
class ReviewServer:
    """A running server, and the addresses that it printed."""

    process: subprocess.Popen[str]
    addresses: dict[str, str]

    @property
    def root(self) -> str:
        """The address without a path."""
        return next(iter(self.addresses.values())).partition("/?")[0]

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self.root.rpartition(":")[2])

    def client(self, reviewer: str) -> httpx.Client:
        """A browser of a reviewer: with the cookie, and with the secret of the page's forms."""
        client = httpx.Client(base_url=self.root, follow_redirects=True, timeout=PATIENCE)
        client.get(self.addresses[reviewer])
        secret = re.search(r"X-Assay-Form[^0-9a-f]+([0-9a-f]{64})", client.get("/").text)
        assert secret is not None
        client.headers["X-Assay-Form"] = secret.group(1)
        return client

    def kill(self) -> None:
        """End the server as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def stop(self) -> str:
        """End the server as Ctrl-C does, and return what it wrote to standard error."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=PATIENCE)[1]


@contextmanager
def review_server(
    folder: Path, *reviewers: str, port: int = 0, options: tuple[str, ...] = ()
) -> Iterator[ReviewServer]:
    """Start a server and wait for its addresses."""
    names = [word for name in reviewers for word in ("--reviewer", name)]
    command = [sys.executable, "-m", "assay", "review", str(folder), *names, "--port", str(port), "--no-open"]
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        yield ReviewServer(process, _addresses(process, reviewers))
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _addresses(process: subprocess.Popen[str], reviewers: tuple[str, ...]) -> dict[str, str]:
    assert process.stdout is not None
    assert process.stderr is not None
    poller = select.poll()  # select() takes no descriptor above 1,023
    poller.register(process.stdout, select.POLLIN)
    ready = poller.poll(PATIENCE * 1000)
    lines = [process.stdout.readline() for _ in reviewers] if ready else []
    assert all(lines), process.stderr.read()
    return {name: line.partition(": ")[2].strip() for name, line in zip(reviewers, lines, strict=True)}


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    children = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == process:
            children.append(int(folder.name))
    return children
