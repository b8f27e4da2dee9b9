"""Every supported Python makes the same masks, to the byte: a certificate holds for a task's contents."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.benchmarks import load_suite
from tests.example_counts import examples
from tests.interpreters import DEBIAN, of_minor, supported
from tests.masking.engine import soundness
from tests.masking.engine.generated import sources

PROGRAM = Path(__file__).with_name("under_interpreters.py")
PACKAGES = Path(assay.__file__).parents[1]

Sources = Sequence[tuple[bytes, Sequence[str] | None]]
"""Each source with the functions to mask; None masks all that lie apart."""


def digests(python: Path, chosen: Sources) -> list[str]:
    """What an interpreter makes of each source."""
    asked = json.dumps([(b64encode(source).decode(), names) for source, names in chosen])
    command = [str(python), "-I", str(PROGRAM), str(PACKAGES)]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def demo_sources() -> Sources:
    """The files of the demo that hold masks, whole, each with its masks."""
    chosen = []
    for task in load_suite("demo").tasks:
        for path in sorted({mask.file for mask in task.assay.masks}):
            names = [mask.function for mask in task.assay.masks if mask.file == path]
            chosen.append((task.solution[f"files/{path}"], names))
    return chosen


def hand_written() -> Sources:
    """Comments, blank lines and continued lines where a body begins and ends, in every line ending."""
    text = (
        "@(  # one: two\n a)\nclass A:\n  def f(x={1: 2}, # no: yes\n      ) \\\n   :  # a: b\n\n"
        "    # before\n\n    return 1  # beside\n    # inside\n\n  # outside\n"
        "  def g(self): return 2\nasync def h():\n\n\n\t'doc'\n\n\t# not this\n\treturn 3;\n"
    )
    return [(text.replace("\n", newline).encode(), None) for newline in ("\n", "\r\n", "\r")]


@pytest.mark.parametrize("wanted", ["Debian", "3.11", "3.12", "3.13", "3.14"])
def test_masks_are_the_same_under_every_interpreter(wanted: str) -> None:
    pythons = [DEBIAN] if wanted == "Debian" else of_minor(wanted)
    if not all(python.is_file() for python in pythons) or not pythons:
        pytest.skip(f"no Python {wanted} on this machine")
    chosen = [*demo_sources(), *hand_written()]
    assert len(chosen) >= 9
    here = digests(Path(sys.executable), chosen)
    for python in pythons:
        assert digests(python, chosen) == here, f"{python} masks otherwise"


@settings(max_examples=examples(3), deadline=None, suppress_health_check=list(HealthCheck))
@given(generated=st.lists(sources().filter(soundness.compiles), min_size=60, max_size=60))
def test_generated_sources_are_masked_the_same_under_every_interpreter(generated: list[bytes]) -> None:
    chosen: Sources = [(source, None) for source in generated]
    found = {version: digests(python, chosen) for version, python in supported().items()}
    first = next(iter(found.values()))
    for version, masks in found.items():
        differing = [generated[i] for i, mask in enumerate(masks) if mask != first[i]]
        assert not differing, f"Python {version} masks otherwise: {differing[0]!r}"
