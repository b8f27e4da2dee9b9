"""Images put, one by one, to a model that is served in a sandbox of its own; its answers are counted.

Each image is sent as its length in four bytes (big-endian) and its bytes, as they stand in the parquet
files; each is answered by one line, the class as the training data write it. The server is believed in
nothing: it sees no label, and what is no such line in time ends the questions.
"""

from __future__ import annotations

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
START_SECONDS = 600.0
"""For the first answer: a model has to be loaded."""


@dataclass
class Server:
    """The other end of stdin and stdout."""

    answer_seconds: float = 60.0
    seconds: float = 0.0
    """from the first answer to the last: loading does not count"""
    _buffer: bytes = field(default=b"", init=False)
    _asked: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    def ask(self, image: bytes) -> str:
        """The class that the server names for an image."""
        allowed = self.answer_seconds if self._asked else START_SECONDS
        begun = time.monotonic()
        self._send(struct.pack(">I", len(image)) + image, begun + allowed)
        line = self._line(begun + allowed)
        self.seconds += time.monotonic() - begun if self._asked else 0.0
        self._asked += 1
        return line.decode("utf-8", errors="replace").strip()

    def _wait(self, end: float, *, reading: bool) -> None:
        left = end - time.monotonic()
        ready = select.select([0] if reading else [], [] if reading else [1], [], max(left, 0.0))
        if left <= 0 or not (ready[0] or ready[1]):
            raise Refused(f"no answer to image {self._asked + 1} in time")

    def _send(self, data: bytes, end: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(end, reading=False)
            try:
                view = view[os.write(1, view[:65536]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Refused(f"the server ended before image {self._asked + 1}") from None

    def _line(self, end: float) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > LINE_BYTES:
                raise Refused(f"answer {self._asked + 1} is longer than {LINE_BYTES} bytes")
            self._wait(end, reading=True)
            try:
                more = os.read(0, 4096)
            except BlockingIOError:
                continue
            if not more:
                raise Refused(f"the server ended before answer {self._asked + 1}")
            self._buffer += more
        line, self._buffer = self._buffer.split(b"\n", 1)
        if self._buffer:
            raise Refused(f"more than one line for image {self._asked + 1}")
        return line


def read_images(folder: Path, label: str) -> Iterator[tuple[bytes, str]]:
    """Every image with its label, in an order drawn anew: an answer by place would be a guess."""
    import pyarrow.parquet

    files = [pyarrow.parquet.ParquetFile(path) for path in sorted(folder.rglob("*.parquet"))]
    groups = [(file, at) for file in files for at in range(file.num_row_groups)]
    if not groups:
        raise FileNotFoundError(f"no *.parquet in {folder}")
    choice = random.SystemRandom()
    choice.shuffle(groups)
    for file, at in groups:
        rows: list[dict[str, Any]] = file.read_row_group(at, columns=["image", label]).to_pylist()
        choice.shuffle(rows)
        for row in rows:
            yield row["image"]["bytes"], str(row[label])


def accuracy(server: Server, folder: Path, label: str) -> Estimate:
    """The share of images whose class the server names."""
    return mean_of([float(server.ask(image) == wanted) for image, wanted in read_images(folder, label)])
