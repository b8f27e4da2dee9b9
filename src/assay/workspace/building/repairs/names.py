"""Repairs of what is asked for: wrong names, addresses and indexes."""

from __future__ import annotations

import re
from dataclasses import replace

from packaging.utils import canonicalize_name

from assay.workspace.building.known import distributions_of, released_as, successor_of
from assay.workspace.building.plan import Failure, Mended, Plan, Repair
from assay.workspace.building.repairs.blame import absent, unbuilt, unreleased, wheelless
from assay.workspace.building.wishes import GUESS, Wish


def drop_index_lines(plan: Plan, failure: Failure) -> Mended | None:
    """Builds for CUDA and the like are then taken from the index that uv knows."""
    if failure.stage != "read" or not plan.index_lines:
        return None
    return Mended(replace(plan, index_lines=()), "; ".join(plan.index_lines))


def replace_address(plan: Plan, failure: Failure) -> Mended | None:
    """An address holds what is there today, so the release of the same code stands in."""
    addressed = next((wish for wish in plan.wishes if wish.url), None)
    if failure.stage != "read" or addressed is None:
        return None
    known = released_as(addressed.url)
    name = addressed.name if known is None else known
    if not name:
        return Mended(plan.without(addressed.name), f"{addressed.url} was never released, dropped")
    mended = plan.changed(addressed.name, lambda wish: replace(wish, name=name, url="", specifier=""))
    return Mended(mended, f"{addressed.url} -> {name}")


def without_cut_off(plan: Plan, failure: Failure) -> Mended | None:
    """An index that tells no upload times leaves nothing before any day."""
    if plan.before is None or not re.search(r"missing an upload (?:date|time)", failure.message):
        return None
    return Mended(replace(plan, before=None), f"the index tells no upload times; {plan.before} does not hold")


def replace_retired_name(plan: Plan, failure: Failure) -> Mended | None:
    """The distribution that a retired or mistaken name stands for."""
    for name in (*absent(failure), *wheelless(failure), *unreleased(failure), *unbuilt(failure)):
        successor = successor_of(name)
        if successor is None or not plan.named(name):
            continue
        if not successor:
            return Mended(plan.without(name), f"{name} is in the standard library or no package, dropped")
        exact = {"tensorflow-gpu", "rdkit-pypi", "faiss-gpu"}

        def renamed(wish: Wish, to: str = successor, keep: bool = name in exact) -> Wish:
            return replace(wish, name=to, specifier=wish.specifier if keep else "")

        return Mended(plan.changed(name, renamed), f"{name} -> {successor}")
    return None


def drop_unknown_import(plan: Plan, failure: Failure) -> Mended | None:
    """A module whose name the index does not know, or knows only as something to be built."""
    for name in (*absent(failure), *unreleased(failure), *wheelless(failure), *unbuilt(failure)):
        wishes = plan.named(name)
        if wishes and all(wish.origin == GUESS for wish in wishes):
            return Mended(plan.without(name), name)
    return None


def drop_nonexistent(plan: Plan, failure: Failure) -> Mended | None:
    """A declared name that the index does not know, or did not on that day."""
    for name in (*absent(failure), *unreleased(failure)):
        if (wishes := plan.named(name)) and (name in absent(failure) or not wishes[0].specifier):
            return Mended(plan.without(name), f"{name} ({wishes[0].origin})")
    return None


def add_missing_module(plan: Plan, failure: Failure) -> Mended | None:
    """A module that another distribution needs and does not declare."""
    if failure.stage != "import":
        return None
    for module in re.findall(r"No module named '([\w.]+)'", failure.message):
        known = distributions_of(module)
        if known and not any(plan.named(canonicalize_name(each)) for each in known):
            return Mended(plan.adding(Wish(known[0])), known[0])
    return None


NAMES = (
    Repair("drop-index-lines", "another index is named (-f, --extra-index-url)", drop_index_lines),
    Repair("replace-address", "a requirement is an address (git+https://…)", replace_address),
    Repair("without-cut-off", "the index tells no upload times", without_cut_off),
    Repair("replace-retired-name", "a name is retired or mistaken (sklearn, opencv)", replace_retired_name),
    Repair("drop-unknown-import", "no distribution is called like an undeclared import", drop_unknown_import),
    Repair("drop-nonexistent", "a declared distribution does not exist", drop_nonexistent),
)
ADD_MISSING_MODULE = Repair(
    "add-missing-module", "a module is missing that its user does not declare", add_missing_module
)
