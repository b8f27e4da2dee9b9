"""What a model's tokens cost, where Inspect does not know and the user says."""

from __future__ import annotations

from assay.errors import UsageError
from assay.evaluation.models import NO_MODEL


def check_price(model: str | None, whose: str, *, capped: bool, hint: str) -> None:
    """Refuse a second model of unknown price where a cap on money should bind; scripted ones cost nothing."""
    if model is None or model.startswith("assay/") or not capped:
        return
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    if info is None or info.cost is None:
        raise UsageError(
            f"the price of the {whose} {model} is not known, so a cap on money cannot bind", hint=hint
        )


def check_judge_price(model: str | None, *, capped: bool) -> None:
    """Refuse a judge of unknown price under a cap on money."""
    hint = "leave out --max-cost, or grade later: assay grade LOGS --judge-model …"
    check_price(model, "judge", capped=capped, hint=hint)


def check_planner_price(model: str | None, *, capped: bool) -> None:
    """Refuse an agent's planner of unknown price under a cap on money."""
    hint = "leave out the cap, or let the model of the run plan: planner=same"
    check_price(model, "planner", capped=capped, hint=hint)


def set_price(model: str, price: tuple[float, float] | None, *, capped: bool) -> None:
    """Tell Inspect the price of a model; with a cap on money an unknown price is refused."""
    if model == NO_MODEL:
        return
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

    info = get_model_info(model)
    if price is not None:
        cost = ModelCost(
            input=price[0], output=price[1], input_cache_write=price[0], input_cache_read=price[0]
        )
        set_model_info(model, (info or ModelInfo()).model_copy(update={"cost": cost}))
    elif capped and (info is None or info.cost is None):
        raise UsageError(
            f"the price of {model} is not known, so a cap on money cannot bind",
            hint="give --price INPUT,OUTPUT in dollars per million tokens",
        )
