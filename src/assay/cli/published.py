"""assay published: a benchmark's published numbers, made again from what was published, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.benchmarks.autoexperiment.published import PublishedRows
    from assay.benchmarks.expbench.published import PublishedTables, Recomputed


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(published)


def published(
    suite: Annotated[str, typer.Argument(help="autoexperiment or expbench")],
    source: Annotated[
        Path | None,
        typer.Option(help="For autoexperiment: a folder with its result tables, in place of the cache."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Recompute published numbers, and say where they differ from what the paper prints."""
    from assay.errors import UsageError

    if suite == "expbench":
        from assay.benchmarks.expbench.published import recompute_expbench

        tables = recompute_expbench()
        if json:
            print_json({"suite": suite, **tables.model_dump(mode="json")})
        else:
            _print_tables(tables)
    elif suite == "autoexperiment":
        from assay.benchmarks.autoexperiment.published import recompute_autoexperiment

        rows = recompute_autoexperiment(_folder(source))
        if json:
            print_json({"suite": suite, **rows.model_dump(mode="json")})
        else:
            _print_rows(rows)
    else:
        raise UsageError(
            f"nothing published of {suite!r} can be recomputed",
            hint="`assay published autoexperiment`, `assay published expbench`",
        )


def _folder(source: Path | None) -> Path | None:
    from assay.benchmarks import autoexperiment
    from assay.errors import UsageError

    if source is not None and not source.is_dir():
        raise UsageError(f"there is no folder {str(source)!r}")
    if source is not None or autoexperiment.fetched() is None:
        return source
    results = autoexperiment.require() / "results"
    return results if results.is_dir() else None


def _print_tables(tables: PublishedTables) -> None:
    print("Table 1 of EXP-Bench from its Table 6, in %: published → recomputed")
    measures = list(dict.fromkeys(row.measure for row in tables.rows))
    print(f"{'':<34}" + "".join(f"{measure:>16}" for measure in measures))
    for who in dict.fromkeys((row.agent, row.model) for row in tables.rows):
        cells = [row for row in tables.rows if (row.agent, row.model) == who]
        print(f"{' '.join(who):<34}" + "".join(f"{_cell(row):>16}" for row in cells))
    differing = [row for row in tables.rows if not row.agrees]
    print(f"{tables.judged} judged tasks, as the shares of each category tell; * differs by more than 0.2:")
    for why in dict.fromkeys(row.why for row in differing):
        named = ", ".join(f"{row.agent} {row.model} {row.measure}" for row in differing if row.why == why)
        print(f"- {named}: {why}")


def _cell(row: Recomputed) -> str:
    sign = "" if row.agrees else " *"
    return f"{100 * row.published:.1f} → {100 * row.recomputed:.1f}{sign}"


def _print_rows(rows: PublishedRows) -> None:
    print("Pass@1 of AutoExperiment: published, recomputed with its 95% Wilson interval")
    for each in rows.rates:
        said = "–" if each.published is None else f"{100 * each.published:.1f}%"
        rate = each.rate
        again = "no rows and no total"
        if rate is not None and rate.rate is not None and rate.low is not None and rate.high is not None:
            again = f"{100 * rate.rate:.1f}% [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
            again += (
                f", {rate.passed} of {rate.attempts}{'' if each.from_rows else ', by the total: no rows'}"
            )
            again += f", {rate.unknown} without an outcome" if rate.unknown else ""
        verdict = "" if each.agrees is not False else "  differs"
        print(f"n={each.n}  {each.model:<18} {said:>6}  {again}{verdict}")
    for runs in rows.repeated:
        print(f"{runs.model}, {runs.tasks} tasks with rows of several runs, {runs.attempts} attempts:")
        for at in runs.repeats:
            stated = runs.published.get(f"pass@{at.k}")
            beside = "" if stated is None else f" (published {100 * stated:.1f}% over all tasks)"
            print(f"  pass@{at.k} {_percent(at.pass_at)}{beside}, pass^{at.k} {_percent(at.pass_all)}")
    for pair in rows.pairs:
        print(
            f"n={pair.n}  {pair.first} {pair.first_only} : {pair.second_only} {pair.second} on"
            f" {pair.tasks} tasks, McNemar p = {pair.p:.3g} (Holm {pair.holm:.3g})"
        )
    for finding in rows.findings:
        print(f"{finding.log}: {finding.what}")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"
