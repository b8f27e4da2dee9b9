"""What a run produced, or what logs contain: attempts, verdicts, the scorecard, data frames, the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.event_loop import outside_event_loop
from assay.errors import UsageError
from assay.files import place
from assay.scoring import Attempt, Finding, LogRecord
from assay.scoring.logs.reading import path_list_of, read_some

if TYPE_CHECKING:
    import pandas

    from assay.api.display import ShownAnalysis, ShownComparisons, ShownScorecard
    from assay.api.frames import VerdictTable
    from assay.evaluation import PlannedAttempt
    from assay.scoring import Method, Role, TaskAnalysis

Logs = str | Path | Iterable[str | Path]
"""A folder of logs, one .eval file, or several of both."""


class Results:
    """The attempts of a run, with their verdicts; `assay.run` and `assay.read` return it."""

    def __init__(
        self, record: LogRecord, logs: Sequence[Path], not_made: Sequence[PlannedAttempt] = ()
    ) -> None:
        self.record = record
        """What was read from the logs."""
        self.logs = tuple(logs)
        """The folders and files that the attempts were read from."""
        self.not_made = list(not_made)
        """Attempts that were planned and have no grade; the same call of `assay.run` makes them."""

    @property
    def attempts(self) -> list[Attempt]:
        """Every attempt with its verdicts, notices, costs and times."""
        return self.record.attempts

    @property
    def findings(self) -> list[Finding]:
        """What a reader of the numbers should know about the logs."""
        return self.record.findings

    @cached_property
    def scorecard(self) -> ShownScorecard:
        """Rates with their 95% intervals, for each agent, suite and kind of task."""
        from assay.api.display import ShownScorecard
        from assay.scoring import scorecard

        return ShownScorecard.model_validate(scorecard(self.record).model_dump())

    @cached_property
    def items(self) -> list[TaskAnalysis]:
        """What each task tells: pass rate, discrimination, information; measured agents only."""
        from assay.scoring import analyse_tasks

        return analyse_tasks(self.attempts)

    @cached_property
    def verdicts(self) -> VerdictTable:
        """Every verdict of every attempt, one row each."""
        from assay.api.frames import VerdictTable
        from assay.scoring import long_table

        return VerdictTable(list(long_table(self.attempts)))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with one row for each attempt."""
        from assay.api.frames import attempt_frame

        return attempt_frame(self.attempts)

    def report(self, out: str | Path = "report.html", *, interval: Method = "wilson") -> Path:
        """Write the report as one HTML file and return its path."""
        from assay.reporting import write

        return write(self.record, Path(out), method=interval)

    def compare(
        self, second: Results | None = None, *, agents: Sequence[str] = (), interval: Method = "wilson"
    ) -> ShownComparisons:
        """Compare agents in pairs on the tasks that both tried, here or between these and other results."""
        from assay.api.display import ShownComparisons
        from assay.scoring import compare

        second_record = second.record if second is not None else None
        pairs = compare(self.record, second_record, agents=agents, method=interval)
        return ShownComparisons.model_validate(pairs.model_dump())

    @outside_event_loop
    def failures(
        self,
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
        from assay.api.display import ShownAnalysis
        from assay.scoring.failures import analyse, model_proposer, read_map, write_map

        analysis = analyse(
            self.attempts,
            type_map=read_map(Path(mapping)) if mapping is not None else None,
            propose=model_proposer(model, base_url) if model else None,
            roles=tuple(roles),
            method=interval,
        )
        if mapping is not None:
            write_map(analysis.map, Path(mapping))
        return ShownAnalysis.model_validate(analysis.model_dump())

    def __len__(self) -> int:
        return len(self.attempts)

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self.attempts)

    def __repr__(self) -> str:
        counts = Counter(attempt.outcome for attempt in self.attempts)
        outcomes = ", ".join(f"{counts[name]} {name}" for name in ("passed", "failed", "unknown"))
        missing = f"; {len(self.not_made)} not made" if self.not_made else ""
        places = ", ".join(map(str, self.logs))
        return f"<Results from {places}: {len(self)} attempts, {outcomes}{missing}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(repr(self)[1:-1])}</p>{self.scorecard._repr_html_()}"


@outside_event_loop
def read(logs: Logs = "logs") -> Results:
    """Read results from folders of logs and .eval files."""
    paths = paths_of(logs)
    for path in paths:
        if not path.exists():
            raise UsageError(
                f"{path} does not exist", hint="name a folder that `assay.run` or `assay run` wrote"
            )
    return Results(read_some(paths), paths)


def paths_of(logs: Logs) -> list[Path]:
    """Return one path or several as a list."""
    return [place(path) for path in path_list_of(logs)]
