"""What people read and share: the report, comparisons, failures, bundles and their verification."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.api.display import ShownAnalysis, ShownComparisons
from assay.api.event_loop import outside_event_loop
from assay.api.results import Logs, Results, read
from assay.errors import UsageError
from assay.files import place
from assay.reporting.bundle import bundle as pack_bundle
from assay.reporting.verification import BundleCheck
from assay.reporting.verification import verify as verify_bundle
from assay.scoring import Method, Role


@outside_event_loop
def report(
    logs: Logs | Results = "logs", out: str | Path = "report.html", *, interval: Method = "wilson"
) -> Path:
    """Write the report of logs as one HTML file and return its path; a folder gets `report.html`."""
    return _results(logs).report(out, interval=interval)


@outside_event_loop
def compare(
    first: Logs | Results,
    second: Logs | Results | None = None,
    *,
    agents: Sequence[str] = (),
    interval: Method = "wilson",
) -> ShownComparisons:
    """Compare agents in pairs on the tasks that both tried; differences are second − first.

    With two sources one agent of each is compared: those named in `agents` (`agent` or `agent@model`), or the
    only measured one of each, or every agent that stands in both. With one source every pair of the named
    agents is compared, or of all that are measured.
    """
    second_results = None if second is None else _results(second)
    return _results(first).compare(second_results, agents=agents, interval=interval)


@outside_event_loop
def failures(
    logs: Logs | Results = "logs",
    *,
    model: str | None = None,
    base_url: str | None = None,
    mapping: str | Path | None = None,
    roles: Sequence[Role] = ("agent",),
    interval: Method = "wilson",
) -> ShownAnalysis:
    """Say why attempts fail: how common each type of failure is, and whose fault it is.

    `model` names failures that no rule recognises. `mapping` is a JSON file from words to types, which is
    read and extended. `roles` says whose failures count; calibrators and cheats fail on purpose.
    """
    return _results(logs).failures(
        model=model, base_url=base_url, mapping=mapping, roles=roles, interval=interval
    )


@outside_event_loop
def bundle(logs: str | Path = "logs", out: str | Path | None = None) -> Path:
    """Pack logs, submissions, certificates, versions, hashes and the report into one archive."""
    return pack_bundle(logs, out)


@outside_event_loop
def verify(archive: str | Path, *, sha256: str | None = None) -> BundleCheck:
    """Compute every number of a bundle again from its logs and say what was changed."""
    return verify_bundle(archive, sha256=sha256)


@outside_event_loop
def view(logs: str | Path = "logs", *, port: int = 7575) -> None:
    """Serve the logs in Inspect View until an interrupt: every message, command and verdict."""
    if not place(logs).is_dir():
        raise UsageError(f"{logs} is not a folder of logs", hint="`assay run` writes one")
    from assay.inspect_private import view as inspect_view

    inspect_view(log_dir=str(place(logs)), port=port)


def _results(logs: Logs | Results) -> Results:
    return logs if isinstance(logs, Results) else read(logs)
