"""Repairs of wrong names, addresses and indexes."""

from __future__ import annotations

import re
from dataclasses import replace

from packaging.utils import canonicalize_name

from assay.workspace.building.distribution_names import distributions_of, released_as, successor_of
from assay.workspace.building.plan import BuildPlan, Failure, Repair, RepairedPlan
from assay.workspace.building.repairs.blame import (
    distributions_without_wheel,
    missing_distributions,
    unbuilt_distributions,
    unreleased_distributions,
)
from assay.workspace.building.wishes import GUESS, Wish


def drop_index_lines(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop other indexes; uv then takes builds for CUDA from its own index."""
    if failure.stage != "read" or not plan.index_lines:
        return None
    return RepairedPlan(replace(plan, index_lines=()), "; ".join(plan.index_lines))


def replace_address(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Replace an address by the release of the same code: an address gives today's code."""
    addressed = next((wish for wish in plan.wishes if wish.url), None)
    if failure.stage != "read" or addressed is None:
        return None
    released_name = released_as(addressed.url)
    name = addressed.name if released_name is None else released_name
    if not name:
        return RepairedPlan(plan.without(addressed.name), f"{addressed.url} was never released, dropped")
    changed_plan = plan.with_changed(
        addressed.name, lambda wish: replace(wish, name=name, url="", specifier="")
    )
    return RepairedPlan(changed_plan, f"{addressed.url} -> {name}")


def without_cut_off(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop the cut-off date if the index has no upload times: no file would pass it."""
    if plan.before is None or not re.search(r"missing an upload (?:date|time)", failure.message):
        return None
    return RepairedPlan(
        replace(plan, before=None), f"the index has no upload times; {plan.before} does not apply"
    )


def replace_retired_name(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Replace a retired or wrong name."""
    for name in (
        *missing_distributions(failure),
        *distributions_without_wheel(failure),
        *unreleased_distributions(failure),
        *unbuilt_distributions(failure),
    ):
        successor = successor_of(name)
        if successor is None or not plan.wishes_for(name):
            continue
        if not successor:
            return RepairedPlan(
                plan.without(name), f"{name} is in the standard library or no package, dropped"
            )
        exact = {"tensorflow-gpu", "rdkit-pypi", "faiss-gpu"}

        def renamed(wish: Wish, to: str = successor, keep_specifier: bool = name in exact) -> Wish:
            return replace(wish, name=to, specifier=wish.specifier if keep_specifier else "")

        return RepairedPlan(plan.with_changed(name, renamed), f"{name} -> {successor}")
    return None


def drop_unknown_import(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop an undeclared module whose name the index does not have, or has only as a source."""
    for name in (
        *missing_distributions(failure),
        *unreleased_distributions(failure),
        *distributions_without_wheel(failure),
        *unbuilt_distributions(failure),
    ):
        wishes = plan.wishes_for(name)
        if wishes and all(wish.origin == GUESS for wish in wishes):
            return RepairedPlan(plan.without(name), name)
    return None


def drop_nonexistent(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop a declared name that the index does not have, or did not have on that day."""
    for name in (*missing_distributions(failure), *unreleased_distributions(failure)):
        if (wishes := plan.wishes_for(name)) and (
            name in missing_distributions(failure) or not wishes[0].specifier
        ):
            return RepairedPlan(plan.without(name), f"{name} ({wishes[0].origin})")
    return None


def add_missing_module(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Add a module that another distribution needs and does not declare."""
    if failure.stage != "import":
        return None
    for module in re.findall(r"No module named '([\w.]+)'", failure.message):
        distributions = distributions_of(module)
        if distributions and not any(plan.wishes_for(canonicalize_name(name)) for name in distributions):
            return RepairedPlan(plan.with_wish(Wish(distributions[0])), distributions[0])
    return None


NAMES = (
    Repair("drop-index-lines", "another index is named (-f, --extra-index-url)", drop_index_lines),
    Repair("replace-address", "a requirement is an address (git+https://…)", replace_address),
    Repair("without-cut-off", "the index has no upload times", without_cut_off),
    Repair("replace-retired-name", "a name is retired or wrong (sklearn, opencv)", replace_retired_name),
    Repair("drop-unknown-import", "no distribution is called like an undeclared import", drop_unknown_import),
    Repair("drop-nonexistent", "a declared distribution does not exist", drop_nonexistent),
)
ADD_MISSING_MODULE = Repair(
    "add-missing-module", "a module is missing that its user does not declare", add_missing_module
)
