"""assay agents: who can try, and what can be set of each."""

from __future__ import annotations

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(agents)


def agents(json: AsJson = False) -> None:
    """List the agents with their options (`--agent-option key=value`, or `react[key=value]`)."""
    from assay.agents import roster
    from assay.agents.known_strength import FAMILIES

    entries = list(roster().values())
    if json:
        rows = [
            {
                "agent": entry.name,
                "role": entry.role,
                "needs_model": entry.needs_model,
                "kinds": list(entry.kinds),
                "description": entry.description,
                "options": [
                    {
                        "option": option.name,
                        "default": option.default,
                        "choices": list(option.choices) or None,
                        "free": option.free,
                        "description": option.description,
                    }
                    for option in entry.options
                ],
            }
            for entry in entries
        ]
        print_json({"agents": rows})
        return
    for entry in entries:
        print(f"{entry.name:<26} {entry.role:<10}  {entry.description}")
        for option in entry.options:
            allowed = "|".join(option.choices) or ("a name" if option.free else "a number")
            print(f"{'':<38}  {option.name}={allowed} (now {option.default}): {option.description}")
    for name, description in FAMILIES.items():
        print(f"{name:<26} {'calibrator':<10}  {description}")
    print(f"{'replay:NAME':<26} {'agent':<10}  A recorded agent: its archived hand-ins, graded now.")
