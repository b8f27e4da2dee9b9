"""Who can try: every agent by name, with what it is for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from assay.agents import cheats, honest
from assay.agents.calibrators import idle, oracle
from assay.agents.entry import AgentEntry, Script
from assay.agents.modelled import model_agents
from assay.agents.options import split_name, with_options
from assay.errors import UsageError
from assay.protocols import Role
from assay.tasks import Kind, Task
from assay.tasks.kinds import KINDS

if TYPE_CHECKING:
    from inspect_ai.solver import Solver


def scripted(name: str, script: Script, role: Role, kinds: tuple[Kind, ...] = KINDS) -> AgentEntry:
    """An agent that acts by a script and needs no model; the script's docstring says what it does."""

    def make(tasks: Mapping[str, Task]) -> Solver:
        from assay.agents.solving import script_solver

        return script_solver(script, tasks)

    description = (script.__doc__ or "").strip().splitlines()[0]
    return AgentEntry(name, description, role, make, kinds=kinds)


@cache
def _modules(package: ModuleType, prefix: str, role: Role) -> tuple[AgentEntry, ...]:
    """One agent for each module of a package: its `act`, and the KINDS it names."""
    entries = []
    for module_info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{module_info.name}")
        name = f"{prefix}-{module_info.name.replace('_', '-')}"
        entries.append(scripted(name, module.act, role, getattr(module, "KINDS", KINDS)))
    return tuple(entries)


def _human(tasks: Mapping[str, Task]) -> Solver:
    from assay.agents.human import human_solver

    return human_solver(tasks)


def roster() -> dict[str, AgentEntry]:
    """Every agent that ships, by name."""
    entries = [
        scripted("oracle", oracle, "calibrator"),
        scripted("idle", idle, "calibrator"),
        *_modules(honest, "honest", "honest"),
        *_modules(cheats, "cheat", "cheat"),
        *model_agents(),
        AgentEntry("human", "A person at a terminal inside the sandbox.", "agent", _human),
    ]
    return {entry.name: entry for entry in entries}


def find_agent(name: str) -> AgentEntry:
    """An agent by its name, with options in brackets; those with a colon in them are the user's own."""
    from assay.agents.bridge import from_bridge, is_bridged
    from assay.agents.custom import COMMAND, from_command, from_file, from_program
    from assay.agents.known_strength import from_known_strength
    from assay.agents.program_spec import PROGRAM, ProgramSpec
    from assay.agents.replay import REPLAY, from_recording

    if name.startswith(PROGRAM):
        return from_program(ProgramSpec.parse(name))
    if name.startswith(REPLAY):
        return from_recording(name.removeprefix(REPLAY))
    calibrator = from_known_strength(name)
    if calibrator is not None:
        return calibrator
    if name.startswith(COMMAND):
        return from_command(name.removeprefix(COMMAND))
    if is_bridged(name):
        return from_bridge(name)
    if ".py:" in name:
        return from_file(name)
    entries = roster()
    plain, options = split_name(name)
    if plain not in entries:
        similar_names = get_close_matches(plain, entries, n=3, cutoff=0.0)
        raise UsageError(
            f"there is no agent {name!r}; the nearest names are {', '.join(similar_names)}",
            hint="`assay agents` lists all; your own works too: file.py:name, command:…, bridge:…, replay:…",
        )
    return entries[plain].with_options(options)


def set_options(names: Sequence[str], options: Sequence[str]) -> list[str]:
    """Agents' names with options (`key=value`) written into them, each where the agent has it."""
    return with_options(names, {name: find_agent(name).options for name in names}, options)
