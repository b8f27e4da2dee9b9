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


RUSSIAN = (
    "# Сначала читаем все четыре области и выравниваем их размеры, чтобы каждая вносила одинаковый вклад.\n"
    "# Затем обучаем маленькую модель с косинусным расписанием скорости обучения и сохраняем её.\n"
    'def load(path):\n    """Читает файл и возвращает список строк без пустых."""\n'
)
CHINESE = "# 先读取四个领域的文本，并按相同的权重采样，使每个领域的贡献相同。然后训练一个小模型。\n"
GERMAN = "Größere Schritte für größere Modelle überfordern die Läufe, kürzere dagegen dauern länger.\n"
GRID = "".join(f"    ({0.001 * (at + 1):g}, {0.1 * at:g}, {64 + at}),\n" for at in range(180))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", f"{CODE.decode()}{RUSSIAN * 5}"),
        ("train.py", f"{CODE.decode()}{CHINESE * 8}"),
        ("NOTES.md", GERMAN * 40),
        ("NOTES.md", "\n".join(f"│ {at} │ {3 - at / 100:.3f} │ {at / 70:.3f} │" for at in range(200))),
        ("old.py", "def broken(:\n"),
        ("explore.py", "%matplotlib inline\nimport torch\n"),
        ("grid.py", f"GRID = [\n{GRID}]\n"),
    ],
    ids=["Russian", "Chinese", "German", "box signs", "scratch file", "notebook", "540 numbers"],
)
def test_text_in_any_language_and_notes_pass(name: str, text: str) -> None:
    rule = check({"build.sh": b"python train.py\n", name: text.encode()})
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


DRAWN = random.Random(2)
FLOATS = f"W = {[round(DRAWN.gauss(0, 1), 6) for _ in range(1400)]}\n".encode()
"""One and a half thousand weights, in a list."""


@pytest.mark.parametrize(
    ("name", "data", "evidence"),
    [
        ("corpus.txt", b"word " * 20_000, "at most 64000"),
        ("weights.bin", NOISE, "not UTF-8"),
        ("weights.txt", NOISE.decode("latin-1").encode(), "no text"),
        ("train.py", CODE + b"W = '" + base64.b64encode(NOISE) + b"'\n", "encoded data"),
        ("train.py", CODE + b"W = [" + b"0.125, " * 2100 + b"]\n", "numbers"),
        ("train.py", CODE + FLOATS, "numbers"),
        ("train.py", CODE + b"W = " + b"7" * 300 + b"\n", "256 bits"),
        ("train.py", CODE + b"\n".join(b"T%d = 'words of a text'" % n for n in range(600)), "string"),
        ("notes.md", "".join(chr(0x4E00 + at) for at in range(600)).encode(), "not ASCII"),
        ("old.py", b"def broken(:\n" + LINES, "encoded data"),
    ],
)  # fmt: skip
def test_data_is_found(name: str, data: bytes, evidence: str) -> None:
    rule = check({"build.sh": b"python train.py\n", name: data})
    assert not rule["met"]
    assert name in rule["evidence"]
    assert evidence in rule["evidence"]


def test_many_small_files_are_too_much_together() -> None:
    rule = check({f"part{number}.txt": b"word " * 10_000 for number in range(5)})
    assert not rule["met"]
    assert "250045 bytes in 5 files" in rule["evidence"]
