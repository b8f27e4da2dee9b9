"""When two submissions are of one approach, and when one is the other with a part left out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.scoring.statistics.code_similarity import Code, code_of, is_ablation, likeness, lines_of

TRAIN = '''"""Merge two models."""
import torch

scale = 0.5
use_trim = True
base = load("base")
for name, weight in base.items():
    delta = expert[name] - weight  # the task vector
    if use_trim:
        delta = trim(delta, keep=0.2)
    merged[name] = weight + scale * delta
save(merged, "model")
'''
PRUNE = """
layers = model.layers
order = sorted(range(len(layers)), key=importance)
model.layers = [layers[at] for at in sorted(order[4:])]
model.save_pretrained("model")
"""


def code(text: str, path: str = "train.py", **others: str) -> Code:
    return code_of({path: text.encode(), **{name: each.encode() for name, each in others.items()}})


def test_numbers_comments_and_layout_make_no_other_approach() -> None:
    other = (
        TRAIN.replace("0.5", "0.75").replace("  # the task vector", "").replace("(merged, ", "(merged,\n  ")
    )
    assert likeness(code(TRAIN), code(other)) == 1.0
    assert likeness(code(TRAIN), code(TRAIN, "moved.py")) == 1.0
    assert likeness(code(TRAIN), code(PRUNE)) < 0.3


def test_a_file_that_did_not_change_does_not_hide_one_that_did() -> None:
    evaluate = "\n".join(f"score_{number} = measure(model, {number})" for number in range(200))
    before, after = code(TRAIN, **{"evaluate.py": evaluate}), code(PRUNE, **{"evaluate.py": evaluate})
    assert likeness(before, after) < 0.3
    assert likeness(code(evaluate), code(evaluate, **{"small.py": "x = 1\n"})) > 0.9


def test_only_hand_written_code_is_read() -> None:
    files = {
        "model.safetensors": b"\0" * 9,
        "results.json": b"{}",
        "a.py": b"x = 1",
        "big.py": b"x\n" * 300_000,
    }
    assert set(code_of(files)) == {"a.py"}
    assert lines_of("x = '# no comment' # comment\n'''a\nlone text'''\n") == (("x", "=", "'# no comment'"),)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("use_trim = True", "use_trim = False"),
        ("    if use_trim:\n        delta = trim(delta, keep=0.2)\n", ""),
        (
            "        delta = trim(delta, keep=0.2)\n",
            "        # delta = trim(delta, keep=0.2)\n        pass\n",
        ),
        (" + scale * delta", ""),
        ("keep=0.2", "keep=0"),
    ],
)
def test_what_is_removed_or_switched_off_is_an_ablation(old: str, new: str) -> None:
    assert old in TRAIN
    assert is_ablation(code(TRAIN), code(TRAIN.replace(old, new)))
    assert not is_ablation(code(TRAIN.replace(old, new)), code(TRAIN))


@pytest.mark.parametrize(
    "other",
    [
        TRAIN,
        TRAIN.replace("0.5", "0.75"),
        TRAIN.replace("import torch\n", ""),
        TRAIN.replace("trim(delta", "dare(delta"),
        TRAIN + "push(merged)\n",
        "save(merged)\n",
        PRUNE,
    ],
)
def test_other_changes_are_none(other: str) -> None:
    assert not is_ablation(code(TRAIN), code(other))


TEXTS = st.lists(
    st.sampled_from(
        ["x = True", "x = False", "f(x, 3)", "f(x, 0)", "f(x)", "y = g()", "print(y)", "if x:", "pass"]
    ),
    max_size=8,
).map("\n".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_likeness_is_symmetric_and_ablation_is_not(one: str, other: str) -> None:
    first, second = code(one), code(other)
    assert 0.0 <= likeness(first, second) == likeness(second, first) <= 1.0
    assert likeness(first, first) == 1.0
    assert not is_ablation(first, first)
    assert not (is_ablation(first, second) and is_ablation(second, first))


@settings(deadline=None)
@given(st.text(alphabet="\"'\\#\n a1.e+-", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(line and all(line) for line in lines_of(text))


def test_hostile_text_takes_no_time() -> None:
    for text in ('\\"' * 150_000, "'''" + '"""' * 100_000, "1e" * 150_000, "#" * 300_000, "x\n" * 150_000):
        assert len(lines_of(text)) <= text.count("\n") + 1
