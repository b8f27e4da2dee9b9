"""The models of a run: is the provider known, is a key set, does the service answer, is the price known?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from assay.agents import find_agent
from assay.errors import AssayError
from assay.evaluation.models import NO_MODEL, without_markup
from assay.evaluation.preflight.checks import CheckState, PreflightCheck
from assay.evaluation.running import Plan, Settings
from assay.models.probe import probe_model

WITHOUT_KEY = ("local", "mockllm", "assay", "none")
"""Providers that need no key."""


def models_of(planned: Plan, settings: Settings) -> list[str]:
    """Every model that the run will ask: the agents', their planners', the judge."""
    names = [attempt.model for attempt in planned.left if attempt.model != NO_MODEL]
    if names:
        planners = (
            find_agent(name).changed_options.get("planner")
            for name in {attempt.agent for attempt in planned.left}
        )
        names += [planner for planner in planners if planner and "/" in planner]
    names += [settings.rules.judge_model] if settings.rules.judge_model else []
    return list(dict.fromkeys(names))


def check_model(model: str, planned: Plan, settings: Settings) -> Iterator[PreflightCheck]:
    """Provider, key, service and price; what cannot be checked after a failure is left out."""
    provider = _check_provider(model)
    yield provider
    if provider.state == "failed":
        return
    of_agents = any(attempt.model == model for attempt in planned.left)
    base_url = settings.base_url if of_agents else None
    key = _check_key(model, base_url)
    yield key
    if key.state == "failed":
        return
    yield _check_service(model, base_url, settings)
    yield _check_price(model, settings)


def _check_provider(model: str) -> PreflightCheck:
    providers = _providers()
    provider, slash, _ = model.partition("/")
    if not slash:
        fix = "write it as PROVIDER/MODEL, such as openai/gpt-5 or local/smollm2"
        return PreflightCheck("provider", "failed", f"{model!r} names no provider", fix)
    if provider in providers:
        return PreflightCheck("provider", "ok", provider)
    nearest = get_close_matches(provider, providers, n=3) or ["openai", "anthropic", "local"]
    return PreflightCheck(
        "provider",
        "failed",
        f"there is no provider {provider!r} (of model {model!r})",
        f"nearest: {', '.join(nearest)}; an OpenAI-compatible service is openai-api/SERVICE/MODEL",
    )


def _providers() -> list[str]:
    """The names of all providers that Inspect and its extensions know."""
    from assay.inspect_private import ensure_entry_points, registry_find, registry_info

    ensure_entry_points()
    entries = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_info(provider).name.rpartition("/")[2] for provider in entries})


def _check_key(model: str, base_url: str | None) -> PreflightCheck:
    """Make the provider's client, which refuses to be made without its key or package."""
    from inspect_ai.model import get_model

    from assay.inspect_private import PrerequisiteError

    provider = model.partition("/")[0]
    try:
        client = get_model(model, base_url=base_url, memoize=False)
    except PrerequisiteError as error:
        return _missing(model, str(error.message))
    except AssayError as error:
        return PreflightCheck("model", "failed", error.message, error.hint)
    except Exception as error:
        return PreflightCheck("model", "failed", f"{model}: {error}", "check the model's name")
    if provider in WITHOUT_KEY:
        return PreflightCheck("key", "skipped", f"{model} needs none")
    if not (client.api.api_key or "").isascii():
        fix = "copy the whole key again; a mark such as … is no part of it"
        return PreflightCheck("key", "failed", f"the key for {provider} has a character that no key has", fix)
    return PreflightCheck("key", "ok", f"{provider} has a key")


def _missing(model: str, message: str) -> PreflightCheck:
    """What a provider lacks, from its own words."""
    plain = without_markup(message)
    if packages := re.search(r"pip install ([^\n\[\]]+)", plain):
        package = packages[1].strip()
        return PreflightCheck("package", "failed", f"{model} needs {package}", f"pip install {package}")
    variables = re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", plain)
    if not variables:
        return PreflightCheck("key", "failed", f"{model}: {' '.join(plain.split())}", "set what it asks for")
    first = variables[0]
    return PreflightCheck("key", "failed", f"{first} is not set, which {model} needs", f"export {first}=…")


def _check_service(model: str, base_url: str | None, settings: Settings) -> PreflightCheck:
    from assay.evaluation.progress import load_hooks_quietly

    if model.startswith("assay/"):
        return PreflightCheck("service", "skipped", f"{model} runs in this process")
    load_hooks_quietly()
    result = probe_model(model, base_url=base_url, seconds=settings.probe_seconds)
    if result.state == "answers":
        return PreflightCheck("service", "ok", f"{model} answered in {result.seconds:.1f} s")
    state: CheckState = "failed" if result.state == "fails" else "warning"
    return PreflightCheck("service", state, f"{model}: {result.reason}", result.fix or None)


def _check_price(model: str, settings: Settings) -> PreflightCheck:
    from assay.evaluation.preflight.spending import price_of

    if model.startswith(("local/", "assay/")):
        return PreflightCheck("price", "ok", "$0: the model runs on this machine")
    price = price_of(model, settings)
    if price is not None:
        return PreflightCheck("price", "ok", f"${price[0]:g} in, ${price[1]:g} out per million tokens")
    capped = settings.max_cost is not None or settings.budget.cost is not None
    return PreflightCheck(
        "price",
        "failed" if capped else "warning",
        f"the price of {model} is not known, so "
        + ("a cap on money cannot hold" if capped else "its cost is not counted"),
        "give --price INPUT,OUTPUT in dollars per million tokens",
    )
