"""Scores plans and answers, asked over stdin and stdout: every answer is checked, nothing in it is believed.

Run in a folder with submission/; writes report.json there. Whatever the server sends, the report is written: a rule
that could not be tried is unmet and says so. The server gets the results of its plans only after it has sent them.
"""

import json
import math
import os
import select
import sys
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import check_plan, compare, interval_scores, results  # noqa: E402

CODE_BYTES, PACKED_BYTES = 200_000, 30_000
"""Of all Python files together, as they are and as zlib packs them."""
ALL_SECONDS = 1500.0
"""On the clock, for both lines. A busy machine is slow."""
LINE_BYTES = 4_000_000
UNTRIED = "could not be tried, because an earlier rule is not met"


class BrokenServer(ValueError):
    """The server ended, was too slow or sent something that is not an answer."""


class Server:
    """The process of the submission at the other end of stdin and stdout."""

    def __init__(self):
        self.buffer, self.end = b"", time.monotonic() + ALL_SECONDS
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    def ask(self, question):
        """The answer to one line, as JSON without infinite numbers."""
        self.send(json.dumps(question).encode() + b"\n")
        parts, size = [], 0
        while not parts or b"\n" not in parts[-1]:
            parts.append(self.more())
            size += len(parts[-1])
            if size > LINE_BYTES:
                raise BrokenServer(f"more than {LINE_BYTES} bytes in one line")
        line, rest = b"".join(parts).split(b"\n", 1)
        if rest:
            raise BrokenServer("more than one line for one question")

        def refuse(name):
            raise BrokenServer(f"the answer contains {name}, expected finite numbers")

        try:
            return json.loads(line.decode("utf-8"), parse_constant=refuse)
        except RecursionError:
            raise BrokenServer("the answer is nested too deep") from None

    def wait(self, descriptor):
        """Waits until the server writes (0) or reads (1)."""
        left = max(self.end - time.monotonic(), 0.0)
        reads, writes = ([0], []) if descriptor == 0 else ([], [1])
        if not any(select.select(reads, writes, [], left)):
            raise BrokenServer(f"no answer in time ({ALL_SECONDS:g} s for all)")

    def send(self, data):
        """Writes all of it."""
        view = memoryview(data)
        while view:
            self.wait(1)
            try:
                view = view[os.write(1, view[:65536]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise BrokenServer("the process ended before it was asked all") from None

    def more(self):
        """What the server wrote next."""
        while True:
            self.wait(0)
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


def one_for_each(situations, answers, what):
    """The answers, if there is one for each situation."""
    if not isinstance(answers, list) or len(answers) != len(situations):
        raise BrokenServer(f"expected a list with {len(situations)} {what}, one for each situation")
    return answers


def ask_all(situations):
    """The mean interval score of each situation, and the share of intervals that contain the effect."""
    server = Server()
    plans = one_for_each(situations, server.ask([situation["problem"] for situation in situations]), "plans")
    plans = [check_plan(situation["problem"], plan) for situation, plan in zip(situations, plans, strict=True)]
    found = [results(each["problem"], each["tables"], plan) for each, plan in zip(situations, plans, strict=True)]
    answers = one_for_each(situations, server.ask(found), "answers")
    scores, inside = [], []
    for situation, answer in zip(situations, answers, strict=True):
        three = interval_scores(answer, situation["truth"])
        scores.append(math.fsum(three) / len(three))
        effects = situation["truth"]["effects"]
        inside += [low <= effect <= high for (_, low, high), effect in zip(answer, effects, strict=True)]
    return scores, sum(inside) / len(inside)


def evaluate(situations):
    """The report."""
    rules = {"code-size": check_code(), "answers": verdict(False, UNTRIED)}
    score, error = None, 0.0
    if not rules["code-size"]["met"]:
        return {"score": score, "standard_error": error, "rules": rules}
    try:
        yours, share = ask_all(situations)
        values = compare(yours, [situation["known"] for situation in situations])
        score = math.fsum(values) / len(values)
        spread = math.fsum((value - score) ** 2 for value in values) / (len(values) - 1)
        error = math.sqrt(spread / len(values))
        evidence = f"{len(values)} situations, {score:.2f} ± {error:.2f}; {share:.1%} of the intervals contain the effect"
        rules["answers"] = verdict(True, evidence)
    except (ValueError, TypeError, KeyError, OverflowError) as problem:
        score, rules["answers"] = None, verdict(False, str(problem)[:300])
    return {"score": score, "standard_error": error, "rules": rules}


if __name__ == "__main__":
    truth = json.loads((Path(__file__).parent / "truth.json").read_text())
    Path("report.json").write_text(json.dumps(evaluate(truth["situations"]), indent=2) + "\n")
