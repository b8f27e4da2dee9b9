"""Seeds drawn at grading, given as a variable and put into the command."""

from __future__ import annotations

import pytest

from assay.grading.fresh import with_seed
from assay.tasks import Variation


@pytest.mark.parametrize(
    ("command", "drawn"),
    [
        (None, None),
        ("python a.py --seed {seed}", "python a.py --seed 12345"),
        ("seed=3; python a.py ${seed} {seed}", "seed=3; python a.py ${seed} 12345"),
        ("python a.py", "python a.py"),
    ],
)
def test_the_drawn_seed_stands_where_the_command_asks_for_it(command: str | None, drawn: str | None) -> None:
    made = with_seed(Variation(name="fresh-seed", fresh=True, command=command), 12345)
    assert (made.seed, made.command, made.fresh) == (12345, drawn, False)
