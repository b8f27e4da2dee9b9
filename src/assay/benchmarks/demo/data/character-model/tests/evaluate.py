"""Scores a character model: bits per character on hidden entries, asked over stdin and stdout.

Run in a folder with submission/ and artefacts/; writes report.json there. Whatever the server sends, the report is
written: a rule that could not be tried is unmet and says so. The entries are split at random among fresh server
processes, and a third of the questions is asked again with another split and in another order. What a server learned
from other entries changes its answers, and a model whose answers change has no score.
"""

import ast
import json
import math
import os
import random
import select
import sys
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from arrays import Refused  # noqa: E402
from limits import FILE_BYTES, PARAMETERS, read_model  # noqa: E402

CODE_BYTES = 5_000
ALL_CODE_BYTES, PACKED_BYTES = 100_000, 4_500
"""Of all Python files together, as they are and as zlib packs them: code packs well, weights do not."""
SERVERS = 4
"""Processes that share the entries, each time that they are asked."""
LONGEST = 130
"""Characters of an entry that are asked for."""
AGAIN = 3
"""Every third character is asked for again."""
ANSWER_SECONDS = 10.0
ALL_SECONDS = 300.0
START_SECONDS = 240.0
"""A container on a busy machine takes long to start."""
LINE_BYTES = 1_000_000
SMALLEST = 2.0**-20
APART, BITS_APART = 1e-3, 2e-3
"""How far two answers to one prefix may be apart, in each probability, and in bits on the mean over all."""
UNTRIED = "could not be tried, because an earlier rule is not met"

RULES = ("model-file", "file-size", "parameters", "code-size", "no-data", "answers", "alphabet", "probabilities",
         "function-of-prefix")


class Broke(Exception):
    """A rule is not met, and asking on makes no sense."""

    def __init__(self, rule: str, evidence: str):
        super().__init__(evidence)
        self.rule, self.evidence = rule, evidence


class Server:
    """The model at the other end of stdin and stdout; believed in nothing."""

    def __init__(self, size: int):
        self.size, self.buffer, self.end = size, b"", time.monotonic() + ALL_SECONDS
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    def ask(self, prefixes: list[str]) -> list[list[float]]:
        """The probabilities for each prefix, checked."""
        deadline = min(self.end, time.monotonic() + ANSWER_SECONDS)
        self._send(json.dumps({"prefixes": prefixes}).encode() + b"\n", deadline)
        return self._checked(self._line(deadline), len(prefixes))

    def replace(self) -> None:
        """Have the harness put a fresh process in the place of this one; its start is not the model's time."""
        began = time.monotonic()
        deadline = began + START_SECONDS
        token = os.environ["ASSAY_FRESH_SERVER"].encode()
        self._send(token, deadline)
        ready = b"\n" + token + b"\n"
        while ready not in self.buffer:
            self.buffer = self.buffer[-len(ready) :] + self._more(deadline)
        self.buffer = self.buffer.split(ready, 1)[1]
        self.end += time.monotonic() - began

    def _wait(self, read: bool, deadline: float) -> None:
        left = deadline - time.monotonic()
        ready = select.select([0] if read else [], [] if read else [1], [], max(left, 0))
        if left <= 0 or not (ready[0] or ready[1]):
            raise Broke("answers", f"predict.py did not {'answer' if read else 'read its input'} in time "
                        f"({ANSWER_SECONDS:g} s for a line, {ALL_SECONDS:g} s for all)")

    def _send(self, data: bytes, deadline: float) -> None:
        while data:
            self._wait(False, deadline)
            try:
                data = data[os.write(1, data[:4096]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Broke("answers", "predict.py ended, or closed its input, before it was asked all") from None

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self.buffer:
            if len(self.buffer) > LINE_BYTES:
                raise Broke("answers", f"predict.py sent more than {LINE_BYTES} bytes in one line")
            self.buffer += self._more(deadline)
        line, self.buffer = self.buffer.split(b"\n", 1)
        if self.buffer:
            raise Broke("answers", "predict.py sent more than one line for one line of prefixes")
        return line

    def _more(self, deadline: float) -> bytes:
        while True:
            self._wait(True, deadline)
            try:
                more = os.read(0, 1 << 16)
            except BlockingIOError:
                continue
            if not more:
                raise Broke("answers", "predict.py ended, or closed its output, before it had answered all")
            return more

    def _checked(self, line: bytes, number: int) -> list[list[float]]:
        try:
            rows = json.loads(line)["probabilities"]
        except (ValueError, RecursionError, KeyError, TypeError):
            raise Broke("answers", f"not a JSON object with `probabilities`: {line[:80]!r}") from None
        if not isinstance(rows, list) or len(rows) != number:
            raise Broke("alphabet", f"expected a list of {number} rows of probabilities, one for each prefix")
        return [self._row(row) for row in rows]

    def _row(self, row: object) -> list[float]:
        if not isinstance(row, list) or len(row) != self.size:
            raise Broke("alphabet", f"expected {self.size} probabilities for a prefix, one for each character")
        # A JSON integer may be too large to become a float, so its size is tested before anything is added up.
        if not all(type(each) in (int, float) and 0 <= each <= 1.001 for each in row):
            bad = next(each for each in row if not (type(each) in (int, float) and 0 <= each <= 1.001))
            raise Broke("probabilities", f"{str(bad)[:40]!r} is not a probability")
        total = math.fsum(row)
        if abs(total - 1) > 1e-3:
            raise Broke("probabilities", f"the probabilities for one prefix add up to {total:.6g}, not to 1")
        return [each / total for each in row]


def check_model(rules: dict) -> None:
    """The rules on model.npz."""
    path = Path("artefacts/model.npz")
    try:
        arrays = read_model(path)
    except Refused as error:
        rules["model-file"] = unmet(str(error))
        return
    rules["model-file"] = met(f"{len(arrays)} plain arrays of floats")
    size = path.stat().st_size
    rules["file-size"] = verdict(size <= FILE_BYTES, f"{size} bytes of {FILE_BYTES} allowed")
    parameters = sum(each.size for each in arrays.values())
    rules["parameters"] = verdict(parameters <= PARAMETERS, f"{parameters} parameters of {PARAMETERS} allowed")


def check_code(rules: dict) -> None:
    """The rules on predict.py, so that no parameters hide in code."""
    path = Path("submission/predict.py")
    if path.is_symlink() or not path.is_file():
        rules["code-size"] = unmet("predict.py is not there as a plain file")
        return
    size = path.stat().st_size
    if size > CODE_BYTES:
        rules["code-size"] = unmet(f"predict.py has {size} bytes, at most {CODE_BYTES} may be")
        return
    try:
        text = path.read_bytes().decode("utf-8")
        ast.parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        rules["code-size"] = unmet(f"predict.py does not parse as UTF-8 Python text: {type(error).__name__}")
        return
    rules["code-size"] = verdict(
        text.isascii(), f"{size} bytes of {CODE_BYTES} allowed" if text.isascii() else "predict.py is not plain ASCII"
    )


def check_data(rules: dict) -> None:
    """Whether the code that trains is code: weights from before the build would not pack, wherever they stand.

    Names of files are bytes like others.
    """
    code = b""
    for path in sorted(Path("submission").rglob("*.py")):
        if not path.is_symlink() and path.is_file() and len(code) <= ALL_CODE_BYTES:
            code += os.fsencode(path.relative_to("submission")) + b"\n" + path.read_bytes()
    packed = len(zlib.compress(code, 9))
    rules["no-data"] = verdict(
        len(code) <= ALL_CODE_BYTES and packed <= PACKED_BYTES,
        f"{len(code)} bytes of Python, {packed} as zlib packs them, of {PACKED_BYTES} allowed",
    )


Answers = dict[tuple[int, int], list[float]]
"""Entry and place in it → the probabilities of the character there."""


def ask_all(server: Server, passages: list[str], step: int, choice: random.Random) -> Answers:
    """Every `step`th character of each entry, each entry by one of several fresh processes."""
    answers: Answers = {}
    numbers = choice.sample(range(len(passages)), len(passages))
    for turn in range(SERVERS):
        if turn or step > 1:
            server.replace()
        places = {number: choice.randrange(step) for number in numbers[turn::SERVERS]}
        while chosen := [each for each in places if places[each] < min(len(passages[each]), LONGEST)]:
            choice.shuffle(chosen)
            rows = server.ask([passages[each][: places[each]] for each in chosen])
            for each, row in zip(chosen, rows, strict=True):
                answers[each, places[each]] = row
                places[each] += step
    return answers


def measure(server: Server, passages: list[str], alphabet: str, choice: random.Random) -> list[list[float]]:
    """Bits for each character asked, by entry; also tries whether answers depend on the prefix alone."""
    place = {character: number for number, character in enumerate(alphabet)}

    def bits(key: tuple[int, int], row: list[float]) -> float:
        return -math.log2(max(row[place[passages[key[0]][key[1]]]], SMALLEST))

    first = ask_all(server, passages, 1, choice)
    again = ask_all(server, passages, AGAIN, choice)
    changes = []
    for key, row in again.items():
        apart = max(abs(one - other) for one, other in zip(first[key], row, strict=True))
        if apart > APART:
            prefix = passages[key[0]][: key[1]]
            raise Broke("function-of-prefix", f"a fresh server, asked in another order for what follows "
                        f"{prefix[-20:]!r}, gave an answer that is {apart:.3g} apart from the first")
        changes.append(abs(bits(key, row) - bits(key, first[key])))
    if math.fsum(changes) > BITS_APART * len(changes):
        raise Broke("function-of-prefix", f"a fresh server, asked in another order, gave answers that are "
                    f"{math.fsum(changes) / len(changes):.3g} bits apart from the first on the mean")
    found: list[list[float]] = [[] for _ in passages]
    for key, row in first.items():
        found[key[0]].append(bits(key, row))
    return found


def verdict(holds: bool, evidence: str) -> dict:
    return {"met": holds, "evidence": evidence}


def met(evidence: str) -> dict:
    return verdict(True, evidence)


def unmet(evidence: str) -> dict:
    return verdict(False, evidence)


def serve_rules(rules: dict, score: str, number: int) -> None:
    """What holds once every answer has come and was checked."""
    rules["answers"] = met(f"{number} prefixes answered, {score}")
    rules["alphabet"] = met("one row for each prefix, one probability for each character")
    rules["probabilities"] = met("finite, not negative, adding up to one")
    rules["function-of-prefix"] = met("fresh servers, asked in another order, gave the same answers")


def evaluate(truth: Path) -> dict:
    """The report."""
    rules = {rule: unmet(UNTRIED) for rule in RULES}
    check_model(rules)
    check_code(rules)
    check_data(rules)
    alphabet = json.loads((truth / "alphabet.json").read_text())
    passages = json.loads((truth / "hidden.json").read_text())
    score, error = None, 0.0
    try:
        if not all(rules[rule]["met"] for rule in ("model-file", "file-size", "parameters", "code-size", "no-data")):
            raise Broke("answers", UNTRIED)
        bits = measure(Server(len(alphabet)), passages, alphabet, random.Random())
    except Broke as broke:
        rules[broke.rule] = unmet(broke.evidence)
    else:
        means = [math.fsum(each) / len(each) for each in bits]
        every = [each for entry in bits for each in entry]
        score = math.fsum(every) / len(every)
        middle = math.fsum(means) / len(means)
        error = math.sqrt(math.fsum((each - middle) ** 2 for each in means) / (len(means) - 1) / len(means))
        harder = json.loads((truth / "language.json").read_text())["harder_by"]
        serve_rules(rules, f"{score:.4f} ± {error:.4f} bits per character, {harder:+.4f} for the language", len(every))
        score -= harder
    return {"score": score, "standard_error": error, "rules": rules}


if __name__ == "__main__":
    Path("report.json").write_text(json.dumps(evaluate(Path(__file__).parent), indent=2) + "\n")
