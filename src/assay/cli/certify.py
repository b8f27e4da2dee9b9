"""assay certify: proves tasks sound, or says what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, Limit, SuiteName, TaskIds, print_json

if TYPE_CHECKING:
    from assay.tasks import Certificate


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(certify)


def certify(
    suite: SuiteName,
    task: TaskIds = None,
    limit: Limit = None,
    logs: Annotated[Path, typer.Option(help="Where the attempts behind the proof are logged.")] = Path(
        "certify"
    ),
    out: Annotated[
        Path | None, typer.Option(help="Write certificates here instead of beside the tasks.")
    ] = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Keep the checks of a valid certificate; make only the others.")
    ] = False,
    sample: Annotated[
        bool,
        typer.Option("--sample", help="Make only a few cheap checks; the task then counts as sampled."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Prove each task: oracle three times, idle, honest agents, every cheat, every broken variant, noise.

    The same command goes on where it was stopped: finished attempts are read from the logs.
    """
    from assay.api.proving import certify as prove
    from assay.benchmarks import load_suite
    from assay.certification.proof import present_checks
    from assay.certification.variants import variants_of
    from assay.cli.progress import Counter

    selected = load_suite(suite).only(task or (), limit)
    variants = sum(
        variant.is_broken and (not missing or variant.check not in present_checks(member))
        for member in selected.tasks
        for variant in variants_of(member, sample=sample)
    )
    with Counter() as counter:

        def tell_broken(task_id: str, name: str, rejected: bool) -> None:
            outcome = "rejected" if rejected else "ACCEPTED"
            counter.also("broken variants", variants, f"broken {name:<26} {task_id:<28} {outcome}")

        proofs = prove(
            selected,
            logs=logs,
            out=out,
            only_missing=missing,
            sample=sample,
            on_plan=counter.announce,
            on_start=counter.begin,
            on_finish=counter.tell,
            on_broken=tell_broken,
        )
    if json:
        checks = [
            {
                "id": certificate.task,
                "sound": certificate.sound,
                "digest": certificate.digest,
                "sample": certificate.sample,
                "made_with": certificate.made_with,
                "checks": {name: check.model_dump() for name, check in certificate.checks.items()},
            }
            for certificate in proofs
        ]
        print_json({"suite": selected.name, "tasks": checks})
    else:
        _print(proofs)
    if not all(proof.sound for proof in proofs):
        raise typer.Exit(1)


def _print(proofs: list[Certificate]) -> None:
    for proof in proofs:
        failed = {name: check for name, check in proof.checks.items() if not check.holds}
        count = f"{len(proof.checks)} checks{', a sample' if proof.sample else ''}"
        print(f"{proof.task:<28} {'sound' if proof.sound else 'NOT SOUND'}  {count}")
        for name, check in failed.items():
            print(f"    {name}: {check.evidence}")
        for environment in proof.made_with:
            print(f"    made with {environment}")
    print(f"{sum(proof.sound for proof in proofs)} of {len(proofs)} tasks are sound")
