"""Sends images one by one to a model that is served in its own sandbox, and counts the right answers.

Each image is sent as its length in four bytes (big-endian) and its bytes, as they are in the parquet files.
The answer to each is one line: the class as it is written in the training data. The server is not trusted:
it sees no label, and a missing, late or malformed line ends the evaluation. Every image is sent twice, in two
orders, to processes that each see a part of the images: if a server learns from earlier images, its answers
change. Not covered: learning that changes fewer answers than `MOST_APART`.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .estimates import Estimate, mean_of
from .verdicts import Refused

LINE_BYTES = 64
BATCH, LEAST_BATCHES = 500, 4
"""The most images that one server process sees, and the fewest processes that share the images."""
MOST_APART = 0.01
"""The share of images that may get two different answers: sums on a GPU differ from run to run."""
START_SECONDS = 600.0
"""The time limit of the first answer: the server must load its model."""


@dataclass
class Server:
    """The other end of stdin and stdout."""

    answer_seconds: float = 60.0
    seconds: float = 0.0
    """From the first answer of each process to its last, in the first order: loading does not count."""
    timed: bool = True
    _buffer: bytes = field(default=b"", init=False)
    _answered: int = field(default=0, init=False)
    _loaded: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    def ask(self, image: bytes) -> str:
        """Return the class that the server names for an image."""
        allowed = self.answer_seconds if self._loaded else START_SECONDS
        started = time.monotonic()
        self._send(struct.pack(">I", len(image)) + image, started + allowed)
        line = self._line(started + allowed)
        self.seconds += time.monotonic() - started if self._loaded and self.timed else 0.0
        self._answered += 1
        self._loaded = True
        return line.decode("utf-8", errors="replace").strip()

    def replace(self) -> None:
        """Make the harness replace the server process with a fresh one."""
        token = os.environ["ASSAY_FRESH_SERVER"].encode()
        end = time.monotonic() + START_SECONDS
        self._send(token, end)
        ready = b"\n" + token + b"\n"
        while ready not in self._buffer:
            self._buffer = self._buffer[-len(ready) :] + self._more(end)
        self._buffer, self._loaded = self._buffer.split(ready, 1)[1], False

    def _wait(self, end: float, *, reading: bool) -> None:
        left = end - time.monotonic()
        ready = select.select([0] if reading else [], [] if reading else [1], [], max(left, 0.0))
        if left <= 0 or not (ready[0] or ready[1]):
            raise Refused(f"no answer to image {self._answered + 1} in time")

    def _send(self, data: bytes, end: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(end, reading=False)
            try:
                view = view[os.write(1, view[:65536]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Refused(f"the server ended before image {self._answered + 1}") from None

    def _line(self, end: float) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > LINE_BYTES:
                raise Refused(f"answer {self._answered + 1} is longer than {LINE_BYTES} bytes")
            self._buffer += self._more(end)
        line, self._buffer = self._buffer.split(b"\n", 1)
        if self._buffer:
            raise Refused(f"more than one line for image {self._answered + 1}")
        return line

    def _more(self, end: float) -> bytes:
        """Read the server's next output."""
        while True:
            self._wait(end, reading=True)
            with contextlib.suppress(BlockingIOError):
                if chunk := os.read(0, 4096):
                    return chunk
                raise Refused(f"the server ended before answer {self._answered + 1}")


def open_images(folder: Path) -> list[tuple[Any, int]]:
    """Return every group of rows as its file and its number in the file."""
    import pyarrow.parquet

    files = [pyarrow.parquet.ParquetFile(path) for path in sorted(folder.rglob("*.parquet"))]
    groups = [(file, at) for file in files for at in range(file.num_row_groups)]
    if not groups:
        raise FileNotFoundError(f"no *.parquet in {folder}")
    return groups


def read_images(groups: list[tuple[Any, int]], label: str) -> Iterator[tuple[tuple[int, int], bytes, str]]:
    """Yield every image with its place and its label, in a random order: the place reveals no answer."""
    choice = random.SystemRandom()
    for number in choice.sample(range(len(groups)), len(groups)):
        file, at = groups[number]
        rows: list[dict[str, Any]] = file.read_row_group(at, columns=["image", label]).to_pylist()
        for place in choice.sample(range(len(rows)), len(rows)):
            yield (number, place), rows[place]["image"]["bytes"], str(rows[place][label])


def accuracy(server: Server, folder: Path, label: str) -> Estimate:
    """Return the share of images whose class the server names both times."""
    groups = open_images(folder)
    total = sum(file.metadata.row_group(at).num_rows for file, at in groups)
    batch = max(1, min(BATCH, total // LEAST_BATCHES))
    answers: dict[tuple[int, int], str] = {}
    right: list[float] = []
    different = 0
    for server.timed in (True, False):
        for number, (place, image, truth) in enumerate(read_images(groups, label)):
            if (number or not server.timed) and number % batch == 0:
                server.replace()
            answer = server.ask(image)
            if server.timed:
                answers[place] = answer
            else:
                different += answer != answers[place]
                right.append(float(answer == answers[place] == truth))
    if different > MOST_APART * total:
        raise Refused(
            f"{different} of {total} images got another answer from a fresh server, in another order"
        )
    return mean_of(right)
