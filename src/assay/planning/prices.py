"""What tokens cost, and where the price comes from."""

from __future__ import annotations

from collections.abc import Sequence

from assay.planning.expected import mean
from assay.scoring.logs.attempts import Attempt


def money(
    model: str,
    price: tuple[float, float] | None,
    read: int,
    written: int,
    earlier: Sequence[Attempt],
    attempts: int,
) -> tuple[float | None, str]:
    """Dollars, and where their price comes from."""
    if model == "none" or read + written == 0:
        return 0.0, "no model is asked"
    if model.startswith("local/"):
        return 0.0, "the model runs on this machine"
    if price is not None:
        return (read * price[0] + written * price[1]) / 1e6, f"${price[0]:g} in, ${price[1]:g} out, as given"
    costs = [attempt.cost for attempt in earlier if attempt.cost is not None and attempt.model == model]
    if costs:
        return attempts * mean(costs), f"what {len(costs)} earlier attempts cost"
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    if info is None or info.cost is None:
        return None, f"the price of {model} is not known; give --price INPUT,OUTPUT per million tokens"
    cost = info.cost
    return (
        read * cost.input + written * cost.output
    ) / 1e6, f"${cost.input:g} in, ${cost.output:g} out, by Inspect's table"
