"""The demo's challenges: sound folders, and evaluators that write their report whatever is handed in."""

from __future__ import annotations

import bz2
import contextlib
import io
import json
import math
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

from assay.benchmarks.demo import DATA
from assay.tasks import Task, load_task
from assay.tasks.files import below, write_tree

NAMES = ("character-model", "prune-classifier")
Arrays = dict[str, Any]


def some_long(cases: Iterable[str], always: set[str]) -> list[Any]:
    """The cases, where only those that `always` names run in `make test`: each case starts Python with numpy.

    An evaluator is part of its task's digest, so that a change of one needs a new certificate anyway.
    """
    names = list(cases)
    assert always <= set(names)
    return [pytest.param(name, marks=[] if name in always else pytest.mark.long) for name in names]


@pytest.fixture(scope="module", params=NAMES)
def task(request: pytest.FixtureRequest) -> Task:
    return load_task(DATA / request.param)


def test_each_has_broken_and_honest_variants_and_room_between_baseline_and_reference(task: Task) -> None:
    challenge = task.assay.challenge
    assert challenge is not None
    assert len(task.broken) >= 5
    assert below(task.tests, "honest")
    assert abs(challenge.reference - challenge.baseline) > 5 * challenge.noise
    assert f"{challenge.reference:g}" in task.instruction
    assert not challenge.reaches_reference(challenge.baseline)


def test_what_the_evaluator_shares_with_the_workspace_is_the_same(task: Task) -> None:
    shared = {path for path in task.workspace if path in task.tests}
    assert shared
    for path in shared:
        assert task.workspace[path] == task.tests[path]


def test_the_hidden_entries_are_not_in_the_training_text() -> None:
    task = load_task(DATA / "character-model")
    training = task.workspace["training.txt"].decode()
    for passage in json.loads(task.tests["hidden.json"]):
        assert passage not in training
        assert set(passage) <= set(json.loads(task.workspace["alphabet.json"]))


def drawn(folder: Path, seed: int) -> tuple[bytes, bytes]:
    """The training text and the hidden entries of one language."""
    script = DATA / "character-model" / "tests" / "draw.py"
    folder.mkdir(exist_ok=True)
    subprocess.run(
        [sys.executable, str(script)], check=True, cwd=folder, env={**os.environ, "ASSAY_SEED": str(seed)}
    )
    return (folder / "workspace/training.txt").read_bytes(), (folder / "truth/hidden.json").read_bytes()


@pytest.mark.long
def test_the_texts_that_ship_are_those_of_one_seed(tmp_path: Path) -> None:
    task = load_task(DATA / "character-model")
    assert drawn(tmp_path, 20260) == (task.workspace["training.txt"], task.tests["hidden.json"])


@pytest.mark.long
def test_another_seed_gives_another_language_in_the_same_alphabet(tmp_path: Path) -> None:
    task = load_task(DATA / "character-model")
    text, hidden = drawn(tmp_path, 7)
    words, known = (
        set(text.decode().lower().split()),
        set(task.workspace["training.txt"].decode().lower().split()),
    )
    assert len(words & known) < 0.05 * len(words)
    assert set(text.decode() + "".join(json.loads(hidden))) <= set(
        json.loads(task.workspace["alphabet.json"])
    )


def test_the_hidden_images_are_not_in_the_calibration_images() -> None:
    tests, workspace = (DATA / "prune-classifier" / part for part in ("tests", "environment/workspace"))
    hidden, given = np.load(tests / "hidden.npz")["images"], np.load(workspace / "calibration.npz")["images"]
    assert not {row.tobytes() for row in hidden} & {row.tobytes() for row in given}


def evaluate(
    name: str, folder: Path, server: str | None = None, start_seconds: float = 0.0
) -> dict[str, Any]:
    """The report of an evaluator run as the grader runs it, beside servers where the code of one is given."""
    command = [sys.executable, str(DATA / name / "tests" / "evaluate.py")]
    if server is None:
        subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, timeout=60)
    else:
        token = b"\x02" + os.urandom(8).hex().encode()
        evaluator = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "ASSAY_FRESH_SERVER": token.decode()},
        )
        relay(evaluator, server, token, start_seconds)
        assert evaluator.wait(60) == 0
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def relay(evaluator: subprocess.Popen[bytes], server: str, token: bytes, start_seconds: float) -> None:
    """Hand questions to servers and their answers back, a fresh one after each token.

    The first fresh server takes `start_seconds` to start, as a container does on a busy machine.
    """
    assert evaluator.stdin is not None
    assert evaluator.stdout is not None
    serving = Serving(server, evaluator.stdin)
    while data := os.read(evaluator.stdout.fileno(), 1 << 16):
        if data == token:
            serving.stop()
            time.sleep(start_seconds)
            start_seconds = 0.0
            with contextlib.suppress(OSError):
                evaluator.stdin.write(b"\n" + token + b"\n")
                evaluator.stdin.flush()
            serving = Serving(server, evaluator.stdin)
        else:
            serving.ask(data)
    serving.stop()


class Serving:
    """One server process, and the thread that hands its answers on."""

    def __init__(self, code: str, target: IO[bytes]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.stopped = False
        self.thread = threading.Thread(target=self._answer, args=(target,))
        self.thread.start()

    def _answer(self, target: IO[bytes]) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(self.process.stdout.fileno(), 1 << 16):
                target.write(data)
                target.flush()
        if not self.stopped:
            with contextlib.suppress(OSError):
                target.close()

    def ask(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def stop(self) -> None:
        self.stopped = True
        self.process.kill()
        self.thread.join()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()


def unmet(report: dict[str, Any]) -> set[str]:
    return {name for name, rule in report["rules"].items() if not rule["met"]}


def packed(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def saved(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def small() -> Arrays:
    """A valid pruned classifier of a few units."""
    base = np.load(DATA / "prune-classifier" / "tests" / "base.npz")
    inputs, units1, units2 = np.arange(20), np.arange(0, 60, 3), np.arange(10)
    return {
        "inputs": inputs,
        "units1": units1,
        "units2": units2,
        "weights1": base["weights1"][np.ix_(inputs, units1)],
        "weights2": base["weights2"][np.ix_(units1, units2)],
        "weights3": base["weights3"][units2],
        "biases1": base["biases1"][units1],
        "biases2": base["biases2"][units2],
        "biases3": base["biases3"],
    }


SMALL = np.zeros(9, dtype=np.float32)


def changed(**changes: Any) -> Callable[[], bytes]:
    return lambda: saved({**small(), **changes})


HOSTILE_FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "file"),
    "no zip": (lambda: b"PK\x03\x04 but no zip" * 9, "file"),
    "cut off": (lambda: saved(small())[:-30], "file"),
    "flipped bytes": (lambda: saved(small())[:300] + b"\xff" * 300 + saved(small())[600:], "file"),
    "no arrays": (lambda: packed(), "file"),
    "not an array": (lambda: packed(inputs=b"nothing"), "file"),
    "pickled": (changed(inputs=np.array([{}], dtype=object)), "file"),
    "words": (changed(inputs=np.array(["a"])), "file"),
    "bomb": (lambda: packed(inputs=bytes(30_000_000)), "file"),
    "too large": (lambda: bytes(3_000_000), "file"),
    "huge shape": (
        lambda: packed(
            inputs=header("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999), }\n")
        ),
        "file",
    ),
    "negative shape": (
        lambda: packed(
            inputs=header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -4), }\n") + bytes(16)
        ),
        "file",
    ),
    "deep header": (lambda: packed(inputs=header("(" * 9000 + "\n")), "file"),
    "an array less": (lambda: saved({k: v for k, v in small().items() if k != "inputs"}), "file"),
    "an array more": (changed(more=np.zeros(3)), "file"),
    "real places": (changed(inputs=np.arange(20.0)), "float32"),
    "doubles": (changed(biases3=np.zeros(10)), "float32"),
    "places outside": (changed(inputs=np.arange(60, 80)), "shapes"),
    "places below": (changed(inputs=np.arange(-20, 0)), "shapes"),
    "no places": (changed(inputs=np.arange(0)), "shapes"),
    "a number for a list": (changed(inputs=np.array(3)), "shapes"),
    "wrong shape": (changed(biases1=np.zeros((2, 10), dtype=np.float32)), "shapes"),
    "endless biases": (changed(biases3=np.full(10, np.inf, dtype=np.float32)), "own-weights"),
    "no number": (changed(weights3=np.full((10, 10), np.nan, dtype=np.float32)), "own-weights"),
}


@pytest.mark.parametrize(
    "case",
    some_long(HOSTILE_FILES, {"flipped bytes", "pickled", "bomb", "doubles", "places outside", "no number"}),
)
def test_a_hostile_classifier_is_refused_by_rule(case: str, tmp_path: Path) -> None:
    make, rule = HOSTILE_FILES[case]
    write_tree({"artefacts/pruned.npz": make()}, tmp_path)
    report = evaluate("prune-classifier", tmp_path)
    assert report["score"] is None
    assert rule in unmet(report)


def test_a_small_classifier_keeps_every_rule_even_where_its_values_overflow(tmp_path: Path) -> None:
    largest = np.full(10, np.finfo(np.float32).max, dtype=np.float32)
    write_tree({"artefacts/pruned.npz": changed(biases2=largest)()}, tmp_path)
    report = evaluate("prune-classifier", tmp_path)
    assert unmet(report) == set()
    assert 0 <= report["score"] < 0.5


def test_a_link_is_no_artefact(tmp_path: Path) -> None:
    (tmp_path / "artefacts").mkdir()
    (tmp_path / "artefacts" / "pruned.npz").symlink_to(DATA / "prune-classifier" / "tests" / "base.npz")
    assert "file" in unmet(evaluate("prune-classifier", tmp_path))


SIZE = len(json.loads((DATA / "character-model" / "tests" / "alphabet.json").read_text()))
HARDER = json.loads((DATA / "character-model" / "tests" / "language.json").read_text())["harder_by"]


def served(
    folder: Path,
    reply: str,
    model: bytes | None = None,
    code: bytes = b"pass\n",
    start_seconds: float = 0.0,
) -> dict[str, Any]:
    """The report on a server that answers each line, called `line`, with the statements of `reply`."""
    model = saved({"weights": np.zeros(10, dtype=np.float32)}) if model is None else model
    write_tree({"artefacts/model.npz": model, "submission/predict.py": code}, folder)
    head = f"import json, os, sys, time\nSIZE = {SIZE}\nuniform = [1 / SIZE] * SIZE\n"
    head += "def say(rows): print(json.dumps({'probabilities': rows}), flush=True)\n"
    head += "for line in sys.stdin:\n    number = len(json.loads(line)['prefixes'])\n"
    program = head + "".join(f"    {statement}\n" for statement in reply.splitlines())
    return evaluate("character-model", folder, program, start_seconds)


@pytest.mark.long
def test_a_uniform_server_scores_the_size_of_the_alphabet(tmp_path: Path) -> None:
    report = served(tmp_path, "say([uniform] * number)")
    assert unmet(report) == set()
    assert math.isclose(report["score"], math.log2(SIZE) - HARDER)


HOSTILE_SERVERS = {
    "ends at once": ("sys.exit()", "answers"),
    "closes its input": ("sys.stdin.close()\nos.close(0)\nsay([uniform] * number)\ntime.sleep(1)", "answers"),
    "no JSON": ("print('well', flush=True)", "answers"),
    "no text": ("os.write(1, bytes(range(128, 256)) + b'\\n')", "answers"),
    "deep JSON": ("print('[' * 100_000, flush=True)", "answers"),
    "endless line": ("while True: print(end='9' * 10_000)", "answers"),
    "long number": ("print('{\"probabilities\": ' + '9' * 100_000 + '}', flush=True)", "answers"),
    "two lines": ("print('{}\\n' * 2, flush=True)", "answers"),
    "a list": ("print('[]', flush=True)", "answers"),
    "one row": ("say([uniform])", "alphabet"),
    "short rows": ("say([uniform[1:]] * number)", "alphabet"),
    "rows of text": ("say(['a' * SIZE] * number)", "alphabet"),
    "words": ("say([['1'] * SIZE] * number)", "probabilities"),
    "truths": ("say([[True] + [False] * 37] * number)", "probabilities"),
    "negative": ("say([[2.0, -1.0] + [0.0] * 36] * number)", "probabilities"),
    "no number": ("say([[float('nan')] * SIZE] * number)", "probabilities"),
    "endless": ("say([[float('inf')] * SIZE] * number)", "probabilities"),
    "large integers": ("say([[10 ** 400] * SIZE] * number)", "probabilities"),
    "too little": ("say([[0.01] * SIZE] * number)", "probabilities"),
    "by turns": (
        "one = [0.5] * 2 + [0.0] * 36\nsay([one if time.time_ns() % 2 else one[::-1]] * number)",
        "function-of-prefix",
    ),
    "learns": (
        "if 'seen' not in dir(): seen, given = set(), {}\n"
        "for each in json.loads(line)['prefixes']:\n"
        "    seen.add(each[:9])\n"
        "    given.setdefault(each, [0.5 + 0.004 * len(seen)] + [0.5 - 0.004 * len(seen)] + [0.0] * 36)\n"
        "say([given[each] for each in json.loads(line)['prefixes']])",
        "function-of-prefix",
    ),
}


@pytest.mark.parametrize(
    "case", some_long(HOSTILE_SERVERS, {"ends at once", "endless line", "one row", "no number", "learns"})
)
def test_a_hostile_server_is_refused_by_rule(case: str, tmp_path: Path) -> None:
    reply, rule = HOSTILE_SERVERS[case]
    report = served(tmp_path, reply)
    assert report["score"] is None
    assert rule in unmet(report)


@pytest.mark.long
def test_numbers_that_differ_a_little_from_process_to_process_are_the_same(tmp_path: Path) -> None:
    reply = "rest = SIZE - 1\npart = 1 / SIZE + 1e-6 * (time.time_ns() % 9)\n"
    reply += "say([[part] * rest + [1 - rest * part]] * number)"
    assert unmet(served(tmp_path, reply)) == set()


def test_what_is_served_holds_the_arrays_with_noise_and_nothing_beside_them(tmp_path: Path) -> None:
    weights = np.linspace(-1, 1, 4000, dtype=np.float32).reshape(40, 100)
    model = saved({"weights": weights}) + b"words beside the arrays"
    write_tree({"artefacts/model.npz": model}, tmp_path)
    program = DATA / "character-model" / "tests" / "prepare.py"
    subprocess.run([sys.executable, str(program)], cwd=tmp_path, check=True)
    path = tmp_path / "served" / "model.npz"
    moved = np.load(path)["weights"] - weights
    assert moved.shape == weights.shape
    assert moved.std() == pytest.approx(0.02 * np.sqrt((weights**2).mean()), rel=0.1)
    assert b"words" not in path.read_bytes()


def test_the_training_text_is_many_times_what_noisy_parameters_can_hold() -> None:
    """A number with noise of 2% of its size carries less than six bits, by Shannon's formula."""
    text = load_task(DATA / "character-model").workspace["training.txt"]
    assert len(bz2.compress(text)) > 15 * 8_400 * 0.5 * math.log2(1 + 1 / 0.02**2) / 8


def test_code_that_packs_badly_is_data(tmp_path: Path) -> None:
    write_tree({"submission/train.py": b"W = '" + os.urandom(5000).hex().encode() + b"'\n"}, tmp_path)
    assert unmet(served(tmp_path, "say([uniform] * number)")) >= {"no-data"}


@pytest.mark.long
def test_a_server_that_waits_for_the_next_line_is_not_waited_for(tmp_path: Path) -> None:
    report = served(tmp_path, "time.sleep(40)")
    assert "in time" in report["rules"]["answers"]["evidence"]


@pytest.mark.long
def test_the_start_of_a_fresh_server_is_not_the_time_of_the_model(tmp_path: Path) -> None:
    report = served(tmp_path, "say([uniform] * number)", start_seconds=12)
    assert unmet(report) == set()


LIMITS: dict[str, tuple[bytes, bytes, str]] = {
    "parameters": (saved({"weights": np.zeros(8401, dtype=np.float16)}), b"pass\n", "parameters"),
    "doubles": (saved({"weights": np.zeros(9)}), b"pass\n", "model-file"),
    "integers": (saved({"weights": np.zeros(9, dtype=np.int8)}), b"pass\n", "model-file"),
    "long name": (saved({"a name that is too long for one": SMALL}), b"pass\n", "model-file"),
    "no values": (saved({"weights": np.zeros((0, 7), dtype=np.float32)}), b"pass\n", "model-file"),
    "many arrays": (saved({f"weights{at}": SMALL for at in range(33)}), b"pass\n", "model-file"),
    "large file": (saved({"weights": SMALL}) + bytes(60_000), b"pass\n", "file-size"),
    "objects": (saved({"weights": np.array([None])}), b"pass\n", "model-file"),
    "empty file": (b"", b"pass\n", "model-file"),
    "long code": (saved({"weights": SMALL}), b"#" * 5001, "code-size"),
    "null byte": (saved({"weights": SMALL}), b"pass\0", "code-size"),
    "brackets": (saved({"weights": SMALL}), b"(" * 4900, "code-size"),
    "signs": (saved({"weights": SMALL}), b"-" * 4999 + b"1", "code-size"),
    "wide letters": (saved({"weights": SMALL}), "weights = '中文'\n".encode(), "code-size"),
    "no text": (saved({"weights": SMALL}), b"\xff\xfe\n", "code-size"),
}


@pytest.mark.parametrize(
    "case", some_long(LIMITS, {"parameters", "objects", "large file", "long code", "brackets"})
)
def test_parameters_and_code_have_their_limits(case: str, tmp_path: Path) -> None:
    model, code, rule = LIMITS[case]
    report = served(tmp_path, "sys.exit()", model, code)
    assert unmet(report) - {"answers", "alphabet", "probabilities", "function-of-prefix"} >= {rule}
    assert "could not be tried" not in report["rules"][rule]["evidence"]
