"""Verbs in groups: in `assay --help` with an example each, and as `assay bench …`, `task …`, `results …`.

Every verb keeps its plain name too: `assay report` and `assay results report` are the same command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperGroup

GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "run": (
        "Run agents and grade what they hand in",
        {
            "run": "assay run demo --model openai/gpt-5 --epochs 3",
            "top": "assay top logs",
            "grade": "assay grade --task selection-bias --submission FOLDER",
            "plan": "assay plan demo --model openai/gpt-5 --attempts 3",
            "demo": "assay demo",
        },
    ),
    "results": (
        "Read, compare and share results (also: assay results VERB)",
        {
            "report": "assay report logs --html report.html",
            "compare": "assay compare logs --agents react,agentless",
            "failures": "assay failures logs",
            "bundle": "assay bundle logs --out run.assay.zip",
            "verify": "assay verify run.assay.zip",
            "record": "assay record logs --agent react --out recording",
            "view": "assay view logs",
        },
    ),
    "task": (
        "Write, look at and prove tasks (also: assay task VERB)",
        {
            "new": "assay new experiment my-task",
            "show": "assay show selection-bias",
            "shell": "assay shell selection-bias",
            "certify": "assay certify my-task",
            "vary": "assay vary my-task --seed 7 --out variants",
            "mask": "assay mask REPO --run 'python train.py' --metrics loss=results.json:loss --out tasks",
            "harvest": "assay harvest packages.txt --out harvest",
            "curate": "assay curate PAPER REPO --out curated",
            "review": "assay review curated --reviewer ann",
            "export": "assay export harbor demo out",
            "env": "assay env build REPO",
        },
    ),
    "bench": (
        "Benchmarks (also: assay bench VERB)",
        {
            "suites": "assay suites demo",
            "fetch": "assay fetch BENCHMARK",
            "audit": "assay audit BENCHMARK",
            "published": "assay published BENCHMARK",
            "import": "assay import BENCHMARK OUTPUTS --out hand-ins",
        },
    ),
    "other": (
        "This machine, agents and models",
        {
            "doctor": "assay doctor",
            "agents": "assay agents",
            "models": "assay models pull smollm2",
            "judge-eval": "assay judge-eval --judge-model openai/gpt-5",
            "schema": "assay schema task",
        },
    ),
}
NAMED_GROUPS = ("bench", "task", "results")
"""Groups that can be written before their verbs."""
WIDTH = 11


class GroupedHelp(TyperGroup):
    """`assay --help`: the verbs by group, each with what it does and an example."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group; a verb without a group stands under "More"."""
        listed = {name for _, verbs in GROUPS.values() for name in verbs}
        sections = [(title, dict(verbs)) for title, verbs in GROUPS.values()]
        ungrouped = [
            name for name in self.list_commands(ctx) if name not in listed and name not in NAMED_GROUPS
        ]
        sections += [("More", dict.fromkeys(ungrouped, ""))] if ungrouped else []
        for title, verbs in sections:
            with formatter.section(title):
                for name, example in verbs.items():
                    command = self.get_command(ctx, name)
                    if command is None or command.hidden:
                        continue
                    formatter.write(f"{'':2}{name:<{WIDTH}} {command.get_short_help_str(96)}\n")
                    formatter.write(f"{'':2}{'':<{WIDTH}} $ {example}\n" if example else "")


def add_groups(app: typer.Typer) -> None:
    """Add `bench`, `task` and `results`, whose verbs are those of the top."""
    for name in NAMED_GROUPS:
        title, verbs = GROUPS[name]
        group = typer.Typer(help=f"{title.partition(' (')[0]}.", no_args_is_help=True, rich_markup_mode=None)
        for command in app.registered_commands:
            callback = command.callback
            assert callback is not None
            if (command.name or callback.__name__.replace("_", "-")) in verbs:
                group.registered_commands.append(command)
        for inner in app.registered_groups:
            if inner.name in verbs:
                group.registered_groups.append(inner)
        app.add_typer(group, name=name)
