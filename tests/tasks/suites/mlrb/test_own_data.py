"""A submission brings code; data among it is found."""

from __future__ import annotations

import base64
import random

import pytest

from assay.tasks.suites.mlrb.trusted.own_data import check

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
    assert "250000 bytes in 5 files" in rule["evidence"]
