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

    known = list(roster().values())
    if json:
        rows = [
            {
                "agent": each.name,
                "role": each.role,
                "needs_model": each.needs_model,
                "kinds": list(each.kinds),
                "description": each.description,
                "options": [
                    {
                        "option": option.name,
                        "default": option.default,
                        "choices": list(option.choices) or None,
                        "free": option.free,
                        "description": option.description,
                    }
                    for option in each.options
                ],
            }
            for each in known
        ]
        print_json({"agents": rows})
        return
    for each in known:
        print(f"{each.name:<26} {each.role:<10}  {each.description}")
        for option in each.options:
            allowed = "|".join(option.choices) or ("a name" if option.free else "a number")
            print(f"{'':<38}  {option.name}={allowed} (now {option.default}): {option.description}")
