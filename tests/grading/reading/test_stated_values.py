"""What stated values of a design amount to: a description is one value, a list of alternatives is many."""

from __future__ import annotations

import pytest

from assay.grading.reading.designs import AS_EXPECTED, TOO_MANY, compare_stated
from assay.tasks import Variable

ALGORITHM = Variable(name="algorithm", role="constant", ask="it", match="all", accepted=[["DirectLiNGAM"]])
SCRIPT = Variable(name="script", role="constant", ask="it", match="all", accepted=[["run_jax.py"]])
NOISE = Variable(name="noise", role="constant", ask="it", match="all", accepted=[["non-Gaussian"]])
SIZE = Variable(name="size", role="constant", ask="it", match="all", accepted=[["100"]])


@pytest.mark.parametrize(
    ("variable", "values", "entries", "found"),
    [
        (ALGORITHM, ["DirectLiNGAM (lingam), default measure 'pwling', no prior knowledge"], [], AS_EXPECTED),
        (ALGORITHM, ["DirectLiNGAM", "PC", "GES"], [], TOO_MANY),
        (SCRIPT, ["/jaxtools/run_jax.py"], ["/jaxtools/run_jax.py", "jax", "tools"], AS_EXPECTED),
        (ALGORITHM, ["DirectLiNGAM, PC, GES"], ["DirectLiNGAM", "PC", "GES"], TOO_MANY),
        (ALGORITHM, ["PC"], [], "without DirectLiNGAM"),
        (NOISE, ["linear_nongaussian"], [], AS_EXPECTED),
        (NOISE, ["gaussian"], [], "without non-Gaussian"),
        (SIZE, ["100 samples, drawn once, without replacement"], [], AS_EXPECTED),
        (SIZE, ["50, 100, 200, 400"], [], TOO_MANY),
    ],
)
def test_values(variable: Variable, values: list[str], entries: list[str], found: str) -> None:
    assert compare_stated(variable, values, entries) == found
