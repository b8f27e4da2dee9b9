"""Scores a predictor of bytes, asked over stdin and stdout: every answer is checked, nothing in it is believed.

Run in a folder with submission/; writes report.json there. Whatever the server sends, the report is written: a rule
that could not be tried is unmet and says so. A fresh process predicts each stream, and it gets a byte only after it has
answered with the probabilities for this byte.
"""

import json
import math
import os
import select
import sys
import time
import zlib
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))
from measure import SMALLEST, checked, saved  # noqa: E402

CODE_BYTES, PACKED_BYTES = 200_000, 60_000
"""Of all Python files together, as they are and as zlib packs them."""
ANSWER_SECONDS, ALL_SECONDS, START_SECONDS = 120.0, 3000.0, 240.0
"""On the clock: for one answer, for all answers, and for the start of a process. A busy machine is slow."""
LINE_BYTES = 4000
UNTRIED = "could not be tried, because an earlier rule is not met"


class BrokenServer(ValueError):
    """The server ended, was too slow or sent something that is not an answer."""


class Server:
    """The process of the submission at the other end of stdin and stdout."""

    def __init__(self):
        self.buffer, self.end = b"", time.monotonic() + ALL_SECONDS
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    def ask(self, last):
        """The answer to the byte that came last."""
        deadline = min(self.end, time.monotonic() + ANSWER_SECONDS)
        self.send(f"{last}\n".encode(), deadline)
        while b"\n" not in self.buffer:
            if len(self.buffer) > LINE_BYTES:
                raise BrokenServer(f"more than {LINE_BYTES} bytes in one line")
            self.buffer += self.more(deadline)
        line, self.buffer = self.buffer.split(b"\n", 1)
        if self.buffer:
            raise BrokenServer("more than one line for one byte")
        return line

    def replace(self):
        """Has the harness start a fresh process; the start is not the submission's time."""
        began = time.monotonic()
        token = os.environ["ASSAY_FRESH_SERVER"].encode()
        self.send(token, began + START_SECONDS)
        ready = b"\n" + token + b"\n"
        while ready not in self.buffer:
            self.buffer = self.buffer[-len(ready) :] + self.more(began + START_SECONDS)
        self.buffer = self.buffer.split(ready, 1)[1]
        self.end += time.monotonic() - began

    def wait(self, descriptor, deadline):
        """Waits until the server writes (0) or reads (1)."""
        left = max(deadline - time.monotonic(), 0.0)
        reads, writes = ([0], []) if descriptor == 0 else ([], [1])
        if not any(select.select(reads, writes, [], left)):
            raise BrokenServer(f"no answer in time ({ANSWER_SECONDS:g} s for one, {ALL_SECONDS:g} s for all)")

    def send(self, data, deadline):
        """Writes all of it."""
        while data:
            self.wait(1, deadline)
            try:
                data = data[os.write(1, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise BrokenServer("the process ended before it was asked all") from None

    def more(self, deadline):
        """What the server wrote next."""
        while True:
            self.wait(0, deadline)
            try:
                data = os.read(0, 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                raise BrokenServer("the process ended before it had answered all")
            return data


def verdict(holds, evidence):
    """One rule of the report."""
    return {"met": holds, "evidence": evidence}


def check_code():
    """Whether the code is small enough; names of files are bytes like others."""
    code = b""
    for path in sorted(Path("submission").rglob("*.py")):
        if not path.is_symlink() and path.is_file() and len(code) <= CODE_BYTES:
            code += os.fsencode(path.relative_to("submission")) + b"\n" + path.read_bytes()
    packed = len(zlib.compress(code, 9))
    holds = len(code) <= CODE_BYTES and packed <= PACKED_BYTES
    return verdict(holds, f"{len(code)} bytes of Python, {packed} as zlib packs them, of {PACKED_BYTES} allowed")


def bits_for(server, stream):
    """The bits that the server needs for a stream."""
    bits, last = 0.0, -1
    for byte in stream:
        bits -= math.log2(max(checked(server.ask(last))[byte], SMALLEST))
        last = byte
    return bits


def standard_error(kinds, values):
    """Of the mean of all values: each kind has the same number of streams, and streams of one kind differ."""
    error = 0.0
    for kind in set(kinds):
        some = [value for value, other in zip(values, kinds) if other == kind]
        mean = math.fsum(some) / len(some)
        error += math.fsum((value - mean) ** 2 for value in some) * len(some) / (len(some) - 1)
    return math.sqrt(error) / len(values)


def evaluate(streams):
    """The report."""
    rules = {"code-size": check_code(), "answers": verdict(False, UNTRIED)}
    score, error = None, 0.0
    if not rules["code-size"]["met"]:
        return {"score": score, "standard_error": error, "rules": rules}
    try:
        server, values = Server(), []
        for number, stream in enumerate(streams):
            if number:
                server.replace()
            bits = bits_for(server, stream["text"].encode())
            values.append(saved(bits, stream["plain"], stream["known"]))
        score = math.fsum(values) / len(values)
        error = standard_error([stream["kind"] for stream in streams], values)
        rules["answers"] = verdict(True, f"{len(values)} streams, {score:.4f} ± {error:.4f}")
    except ValueError as problem:
        rules["answers"] = verdict(False, str(problem)[:300])
    return {"score": score, "standard_error": error, "rules": rules}


if __name__ == "__main__":
    truth = json.loads((Path(__file__).parent / "truth.json").read_text())
    report = evaluate(truth["streams"])
    Path("report.json").write_text(json.dumps(report, indent=2) + "\n")
