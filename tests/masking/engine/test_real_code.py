"""Real files: up to three seeded functions a file always, every function in the long run.

`make test` takes about `FILES` files of each root, since all of them would take minutes.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assay.masking.engine import Function, Unparsable, find_functions, mask_file
from tests.masking.engine import real_code, soundness

ROOTS = real_code.roots()
QUICK = ("stdlib", "scipy")
FILES = 20

pytestmark = pytest.mark.filterwarnings("ignore")


def readable(path: Path) -> tuple[bytes, list[Function]]:
    """A file's source and functions; none if the file is no good Python before masking."""
    source = path.read_bytes()
    try:
        functions = find_functions(source)
    except Unparsable as error:
        if soundness.compiles(source):
            pytest.fail(f"{path} compiles but is called unparsable: {error.reason}")
        return source, []
    return source, functions


@pytest.mark.parametrize(
    "root", [pytest.param(root, marks=[] if root in QUICK else pytest.mark.long) for root in ROOTS]
)
def test_seeded_functions_of_sampled_files_mask_and_restore(root: str) -> None:
    masked_files = 0
    paths = list(real_code.files(ROOTS[root]))
    for path in paths[:: max(1, len(paths) // FILES)]:
        source, functions = readable(path)
        if not functions:
            continue
        chance = random.Random(path.name)
        chosen = soundness.apart(chance.sample(functions, min(3, len(functions))))
        masked = soundness.check(source, chosen, keep=chance.choice(["docstring", "signature"]))
        if len(source) < 20_000:
            soundness.check_trees(source, masked)
        masked_files += 1
    assert masked_files > 5


@pytest.mark.long
@pytest.mark.parametrize("root", ROOTS)
def test_every_function_of_every_file_masks_and_restores(root: str) -> None:
    """All functions of one nesting depth at a time: a file is masked as often as its functions nest."""
    for path in real_code.files(ROOTS[root]):
        source, functions = readable(path)
        if not functions:
            continue
        assert mask_file(source, keep="docstrings").restore() == source
        keep = "docstring"
        while functions:
            outermost = soundness.apart(functions)
            masked = soundness.check(source, outermost, keep=keep)
            soundness.check_trees(source, masked)
            done = {function.name for function in outermost}
            functions = [function for function in functions if function.name not in done]
            keep = "signature" if keep == "docstring" else "docstring"
