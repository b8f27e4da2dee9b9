"""Scores a search, asked over stdin and stdout: every answer is checked, nothing in it is believed.

Run in a folder with submission/; writes report.json there. Whatever the server sends, the report is written: a rule
that could not be tried is unmet and says so. The server sees the loss of a row only after it has asked for this row.
"""

import json
import os
import select
import sys
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import Table, checked, score  # noqa: E402

CODE_BYTES, PACKED_BYTES = 200_000, 60_000
"""Of all Python files together, as they are and as zlib packs them."""
ANSWER_SECONDS, ALL_SECONDS = 120.0, 3000.0
"""On the clock: for one answer and for all answers. A busy machine is slow."""
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

    def ask(self, message):
        """The answer to a message."""
        deadline = min(self.end, time.monotonic() + ANSWER_SECONDS)
        self.send(json.dumps(message).encode() + b"\n", deadline)
        while b"\n" not in self.buffer:
            if len(self.buffer) > LINE_BYTES:
                raise BrokenServer(f"more than {LINE_BYTES} bytes in one line")
            self.buffer += self.more(deadline)
        line, self.buffer = self.buffer.split(b"\n", 1)
        if self.buffer:
            raise BrokenServer("more than one line for one message")
        return parsed(line)

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


def parsed(line):
    """The row and the shortlist of an answer."""
    try:
        answer = json.loads(line)
        return answer["row"], answer["shortlist"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BrokenServer("expected a line of JSON with row and shortlist") from None


def regret_of(server, case):
    """The regret of the server on one table."""
    problem, table = case["problem"], Table(case["problem"], case["truth"], case["seed"])
    row, shortlist = server.ask({"problem": problem})
    while table.is_open():
        if type(row) is not int or not 0 <= row < len(problem["rows"]):
            raise BrokenServer(f"expected a row from 0 to {len(problem['rows']) - 1}")
        asked, loss = row, table.evaluate(row)
        row, shortlist = server.ask({"row": asked, "loss": loss})
        if table.is_due():
            table.count(checked(shortlist, problem))
    return table.result()


def evaluate(cases):
    """The report."""
    rules = {"code-size": check_code(), "answers": verdict(False, UNTRIED)}
    value, error = None, 0.0
    if not rules["code-size"]["met"]:
        return {"score": value, "standard_error": error, "rules": rules}
    try:
        server = Server()
        regrets = [regret_of(server, case) for case in cases]
        value, error = score(regrets, [case["plain"] for case in cases], [case["known"] for case in cases])
        rules["answers"] = verdict(True, f"{len(cases)} tables, {value:.4f} ± {error:.4f}")
    except ValueError as problem:
        rules["answers"] = verdict(False, str(problem)[:300])
    return {"score": value, "standard_error": error, "rules": rules}


if __name__ == "__main__":
    truth = json.loads((Path(__file__).parent / "truth.json").read_text())
    report = evaluate(truth["cases"])
    Path("report.json").write_text(json.dumps(report, indent=2) + "\n")
