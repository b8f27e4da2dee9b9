"""Which rules decide: how numbers are compared, and who reads what cannot be run.

A log keeps them as the field `rules` of its metadata. Logs of Assay 0.2 and earlier put them behind the
suite's name (`demo[tolerance=published][judge=openai/gpt-5×3]`); `rules_of_log` reads both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from assay.grading.judge import Judge

Tolerance = Literal["default", "published"]
"""How numbers are compared with gold: by each metric's own tolerance, or by AutoExperiment's mean relative
error, with all its faults."""

_SUFFIX = re.compile(r"(?:\[tolerance=(?P<tolerance>\w+)\])?(?:\[judge=(?P<model>.+)×(?P<repeats>\d+)\])?$")


@dataclass(frozen=True)
class GradingRules:
    """The rules of one grade; grades by different rules are never added up."""

    tolerance: Tolerance = "default"
    judge_model: str | None = None
    """The model that reads what cannot be run; None leaves that unknown."""
    judge_repeats: int = 3
    """How often the judge is asked about each item; always 3 without a judge."""

    def __post_init__(self) -> None:
        # Without a judge the count decides nothing: two such values are the same rules.
        if self.judge_model is None:
            object.__setattr__(self, "judge_repeats", 3)

    def judge(self) -> Judge | None:
        """The reader that these rules name."""
        from assay.grading.judge import Judge

        return Judge(self.judge_model, self.judge_repeats) if self.judge_model else None

    def title(self, suite: str) -> str:
        """The suite's name in tables, with every rule that is not the default."""
        compared = "" if self.tolerance == "default" else f"[tolerance={self.tolerance}]"
        judged = f"[judge={self.judge_model}×{self.judge_repeats}]" if self.judge_model else ""
        return f"{suite}{compared}{judged}"

    def as_log(self) -> dict[str, Any]:
        """The field `rules` of a log's metadata."""
        return asdict(self)


DEFAULT_RULES = GradingRules()


def rules_of_log(metadata: Mapping[str, Any]) -> tuple[str, GradingRules]:
    """The suite's own name and the rules, from the metadata of a log of any age."""
    suite = str(metadata["suite"])
    if isinstance(rules := metadata.get("rules"), Mapping):
        return suite, GradingRules(**rules)
    suffix = _SUFFIX.search(suite)
    if suffix is None or not suffix.group():
        return suite, GradingRules()
    tolerance: Tolerance = "published" if suffix["tolerance"] == "published" else "default"
    if suffix["model"] is None:
        return suite[: suffix.start()], GradingRules(tolerance)
    return suite[: suffix.start()], GradingRules(tolerance, suffix["model"], int(suffix["repeats"]))


def title_of_log(metadata: Mapping[str, Any]) -> str:
    """The suite's name with its rules, as tables show it."""
    suite, rules = rules_of_log(metadata)
    return rules.title(suite)
