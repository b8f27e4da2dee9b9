"""What another process needs to make attempts of a run, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.agents import Budget
from assay.evaluation.running import Settings
from assay.grading import GradingRules


def read_settings(fields: Mapping[str, Any]) -> Settings:
    """Settings as they were before they became JSON."""
    price = fields["price"]
    return Settings(
        **{
            **fields,
            "budget": Budget(**fields["budget"]),
            "rules": GradingRules(**fields["rules"]),
            "price": None if price is None else (price[0], price[1]),
        }
    )
