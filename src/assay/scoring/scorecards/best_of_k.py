"""Best-of-k attempts: what was chosen against what was best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.files import place
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.log_file import open_log, read_samples
from assay.tasks.metric import Strict


class BestOf(Strict):
    """One agent and model, added up over its attempts."""

    agent: str
    model: str
    attempts: int
    k: int
    """The most candidates of an attempt."""
    chosen: int
    """Attempts whose handed-in candidate passed."""
    best: int
    """Attempts of which any candidate passed: what a perfect verifier would have reached."""


def chosen_against_best(attempts: Iterable[Attempt]) -> list[BestOf]:
    """One row for each agent and model that chose among candidates, of the attempts that tables count."""
    choices_by_agent: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for log, attempts_by_sample in _by_log(attempts).items():
        for attempt, choice in _choices(log, attempts_by_sample):
            choices_by_agent[attempt.agent, attempt.model].append(choice)
    return [
        BestOf(
            agent=agent,
            model=model,
            attempts=len(choices),
            k=max(choice["k"] for choice in choices),
            chosen=sum(choice["chosen_passed"] is True for choice in choices),
            best=sum(choice["best_passed"] is True for choice in choices),
        )
        for (agent, model), choices in choices_by_agent.items()
    ]


def _by_log(attempts: Iterable[Attempt]) -> dict[str, dict[str, Attempt]]:
    """The best-of-k attempts by log, and by Inspect's identifier of the sample."""
    attempts_by_log: dict[str, dict[str, Attempt]] = defaultdict(dict)
    for attempt in attempts:
        if attempt.agent.partition("[")[0] == "best_of":
            attempts_by_log[attempt.log][attempt.sample] = attempt
    return attempts_by_log


def _choices(log: str, attempts_by_sample: Mapping[str, Attempt]) -> Iterator[tuple[Attempt, dict[str, Any]]]:
    """What each of these attempts at choosing came to; an attempt without a grade has nothing to say."""
    with open_log(place(log)) as archive:
        for sample in read_samples(archive):
            choice = (sample.score.get("metadata") or {}).get("best_of")
            if choice and sample.uuid in attempts_by_sample:
                yield attempts_by_sample[sample.uuid], choice
