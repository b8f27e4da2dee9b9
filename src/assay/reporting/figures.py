"""The numbers behind the report's figures; `assay report LOGS --figures` prints them as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from assay.scoring import Attempt, Method, Scorecard
from assay.scoring.published.totals import Published, published
from assay.scoring.scorecards.first_runs import FirstRuns, first_runs
from assay.scoring.scorecards.masked_curve import Curve, OnePass, curves, one_pass_beside_agents
from assay.scoring.scorecards.over_time import Timeline, timelines
from assay.scoring.scorecards.phase_items import items_asked
from assay.scoring.scorecards.phase_ladder import RUNGS, Ladder, ladders
from assay.scoring.scorecards.phases import MEASURES, PhaseCard, PhaseScores, phase_cards
from assay.tasks.metric import Strict


class Figures(Strict):
    """What is drawn of the agents that are measured, with what was published beside it."""

    curves: list[Curve]
    """Masked tasks by n."""
    one_pass: list[OnePass]
    """Agentless against agentic at each n."""
    first_runs: list[FirstRuns]
    ladders: list[Ladder]
    """Experiments step by step; the oracle and the idle agent stand below the measured agents."""
    phases: list[PhaseCard]
    """Experiments phase by phase: each measure with its denominators, and partial credit."""
    timelines: list[Timeline]
    """Challenges over time, where the logs hold scores on the way."""
    published: list[Published]
    """Numbers of the papers, not measured here."""

    def published_curves(self) -> dict[str, dict[int, Published]]:
        """Model → n → the published pass@1 of AutoExperiment's agent."""
        curves_by_model: dict[str, dict[int, Published]] = {}
        for number in self.published:
            if (number.benchmark, number.agent, number.measure) == ("autoexperiment", "agentic", "pass@1"):
                curves_by_model.setdefault(number.model, {})[int(number.setting.removeprefix("n="))] = number
        return curves_by_model

    def published_rungs(self) -> dict[str, Published]:
        """Rung → the published share of EXP-Bench over all agents, where the paper has it."""
        return {
            number.measure: number
            for number in self.published
            if number.benchmark == "expbench" and number.agent == "all" and number.measure in RUNGS
        }

    def published_phases(self) -> dict[tuple[str, str], dict[str, Published]]:
        """Agent and model → measure → what EXP-Bench published of it."""
        phases_by_agent: dict[tuple[str, str], dict[str, Published]] = {}
        for number in self.published:
            if number.benchmark == "expbench" and number.agent != "all" and number.measure in MEASURES:
                phases_by_agent.setdefault((number.agent, number.model), {})[number.measure] = number
        return phases_by_agent

    def published_value(self, measure: str) -> Published | None:
        """One published number by its name."""
        return next((number for number in self.published if number.measure == measure), None)


def make_figures(
    attempts: Iterable[Attempt], *, method: Method = "wilson", card: Scorecard | None = None
) -> Figures:
    """The figures of the measured agents among some attempts; a scorecard of the same attempts saves time."""
    known_scores = _experiments_in(card) if card is not None else {}
    known_rungs = {key: scores.ladder for key, scores in known_scores.items()}
    everyone = list(attempts)
    measured = [attempt for attempt in everyone if attempt.role == "agent"]
    with_calibrators = [attempt for attempt in everyone if attempt.role in ("agent", "calibrator")]
    return Figures(
        curves=curves(measured, method=method),
        one_pass=one_pass_beside_agents(measured),
        first_runs=first_runs(measured, method=method),
        ladders=ladders(with_calibrators, known_rungs=known_rungs, method=method),
        phases=phase_cards(
            with_calibrators, asked_items=items_asked(everyone), known_scores=known_scores, method=method
        ),
        timelines=timelines(measured),
        published=list(published()),
    )


def _experiments_in(card: Scorecard) -> dict[tuple[str, str, str], PhaseScores]:
    """Suite, agent and model → what the scorecard says about its experiments."""
    return {
        (suite.suite, agent.agent, agent.model): suite.experiments
        for agent in card.agents
        for suite in agent.suites
        if suite.experiments is not None
    }
