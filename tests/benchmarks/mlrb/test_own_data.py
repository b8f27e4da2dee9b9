"""A submission brings code; data among it is found."""

from __future__ import annotations

import base64
import random

import pytest

from assay.benchmarks.mlrb.trusted.own_data import check

CODE = b'''"""Trains a model."""
import torch
RATES = [0.1, 0.01, 0.001]
def main() -> None:
    print("training", RATES)
'''
NOISE = random.Random(0).randbytes(900)


def test_code_and_notes_pass() -> None:
    rule = check({"train.py": CODE, "build.sh": b"python train.py\n", "notes.md": "Größe – klein".encode()})
    assert rule["met"], rule["evidence"]


@pytest.mark.parametrize(
    "odd",
    [
        ("# " + "─" * 76 + "\n") * 40,
        "\ufeffA note.\n",
        f"""'''{"A long docstring, sentence by sentence. " * 400}'''\n""",
        "\n".join(f"| {at} | {at / 7:.4f} | {at / 3:.2f} |" for at in range(300)),
    ],
    ids=["lines drawn", "byte order mark", "long docstring", "table of numbers"],
)
def test_honest_oddities_pass(odd: str) -> None:
    name = "train.py" if odd.startswith(("#", "'")) else "notes.md"
    rule = check({"build.sh": b"python train.py\n", name: odd.encode()})
    assert rule["met"], rule["evidence"]


WEIGHTS = random.Random(1).randbytes(30_000)
LINES = base64.encodebytes(WEIGHTS)


@pytest.mark.parametrize(
    ("files", "evidence"),
    [
        ({"weights.txt": LINES}, "weights.txt: holds encoded data"),
        ({"train.py": CODE + b"'''" + LINES + b"'''\n"}, "train.py: holds encoded data"),
        ({"train.py": CODE + b"# " + LINES.replace(b"\n", b"\n# ")}, "train.py: holds encoded data"),
        ({f"w{at}.json": b"\n".join(b"%d," % each for each in WEIGHTS[at::3]) for at in range(3)}, "packed"),
        ({f"w/{WEIGHTS[at:at + 60].hex()}": b"" for at in range(0, 30_000, 60)}, "packed"),
        ({f"w/{WEIGHTS[at:at + 100].hex()}": b"" for at in range(0, 30_000, 20)}, "bytes in"),
    ],
    ids=["base64 in lines", "docstring", "comments", "numbers in settings", "names", "many names"],
)  # fmt: skip
def test_weights_in_disguise_are_found(files: dict[str, bytes], evidence: str) -> None:
    rule = check({"build.sh": b"python train.py\n"} | files)
    assert not rule["met"]
    assert evidence in rule["evidence"]


@pytest.mark.parametrize(
    ("name", "data", "evidence"),
    [
        ("corpus.txt", b"word " * 20_000, "at most 64000"),
        ("weights.bin", NOISE, "not UTF-8"),
        ("weights.txt", NOISE.decode("latin-1").encode(), "no text"),
        ("train.py", CODE + b"W = '" + base64.b64encode(NOISE) + b"'\n", "encoded data"),
        ("train.py", CODE + b"W = [" + b"0.125, " * 600 + b"]\n", "numbers"),
        ("train.py", CODE + b"W = " + b"7" * 300 + b"\n", "numbers"),
        ("train.py", CODE + b"\n".join(b"T%d = 'words of a text'" % n for n in range(600)), "string"),
        ("notes.md", "漢字" .encode() * 200, "not ASCII"),
        ("train.py", b"def broken(:\n", "does not parse"),
    ],
)  # fmt: skip
def test_data_is_found(name: str, data: bytes, evidence: str) -> None:
    rule = check({"build.sh": b"python train.py\n", name: data})
    assert not rule["met"]
    assert name in rule["evidence"]
    assert evidence in rule["evidence"].replace("is not Python that parses", "does not parse")


def test_many_small_files_are_too_much_together() -> None:
    rule = check({f"part{number}.txt": b"word " * 10_000 for number in range(5)})
    assert not rule["met"]
    assert "250045 bytes in 5 files" in rule["evidence"]
