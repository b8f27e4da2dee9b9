"""Which tasks are wanted: n and a sample, as options say it and as it stands behind a suite's name."""

from __future__ import annotations

from typing import Literal, cast, get_args

from pydantic import Field

from assay.errors import UsageError
from assay.tasks.metric import Strict

Prompts = Literal["redacted", "published"]
"""What an agent reads of a published task: its words without those that state the outcome, or all of them."""


class Selection(Strict):
    """Which of all choices are wanted."""

    n: tuple[int, ...] | None = None
    """How many functions at once; None leaves it to the suite."""
    sample: int | None = Field(default=None, gt=0)
    """At most so many tasks for each n."""
    seed: int = 0
    ids: tuple[str, ...] = ()
    """Exactly these tasks, where any are named."""
    split: str | None = None
    """A part of the suite by its name, where the suite has parts."""
    prompts: Prompts = "redacted"
    """Which words of a published task an agent reads, where the suite changes them."""

    def query(self) -> str:
        """The selection as it stands behind a suite's name: `n=1-2&sample=20&seed=0`."""
        parts = [] if self.n is None else [f"n={','.join(map(str, self.n))}"]
        if self.split is not None:
            parts.append(
                f"split={self.split}" + (f"&seed={self.seed}" if self.sample is None and self.seed else "")
            )
        if self.ids:
            parts.append(f"ids={';'.join(self.ids)}")
        if self.sample is not None:
            parts += [f"sample={self.sample}", f"seed={self.seed}"]
        if self.prompts != "redacted":
            parts.append(f"prompts={self.prompts}")
        return "&".join(parts)


def parse_n(text: str) -> tuple[int, ...]:
    """`3`, `1-5` or `1,3-4` as numbers."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UsageError(f"n is {text!r}, expected a number or a range", hint="write --n 2 or --n 1-5")
        numbers.update(range(int(first), int(last or first) + 1))
    if not numbers or min(numbers) < 1:
        raise UsageError(f"n is {text!r}, expected 1 or more", hint="write --n 2 or --n 1-5")
    return tuple(sorted(numbers))


def parse_selection(query: str) -> Selection:
    """A selection from `n=1-2&sample=20&seed=0`."""
    values: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key not in ("n", "sample", "seed", "ids", "split", "prompts") or not value:
            raise UsageError(f"{part!r} is no part of a selection", hint="write ?n=1-5&sample=100&seed=0")
        values[key] = value
    for key in ("sample", "seed"):
        if key in values and not values[key].isdecimal():
            raise UsageError(f"{key} is {values[key]!r}, expected a whole number")
    if values.get("sample") == "0":
        raise UsageError("sample is '0', expected 1 or more")
    return Selection(
        prompts=_parse_prompts(values.get("prompts", "redacted")),
        n=parse_n(values["n"]) if "n" in values else None,
        sample=int(values["sample"]) if "sample" in values else None,
        seed=int(values.get("seed", 0)),
        ids=tuple(filter(None, values.get("ids", "").split(";"))),
        split=values.get("split"),
    )


def _parse_prompts(text: str) -> Prompts:
    for prompts in get_args(Prompts):
        if text == prompts:
            return cast(Prompts, prompts)
    raise UsageError(f"prompts is {text!r}", hint=f"expected {' or '.join(get_args(Prompts))}")
