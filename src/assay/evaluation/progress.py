"""What is told while a run goes on: each finished attempt, and what the run has cost."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelUsageData, SampleEnd, SampleStart, hooks
from inspect_ai.log import EvalSample

from assay.agents.encodable import make_encodable
from assay.agents.spending import purse
from assay.evaluation.events import Finished, Started
from assay.run_context import run_context

Listener = Callable[[Finished], None]
StartListener = Callable[[Started], None]


class Listeners(list[tuple[Listener, StartListener | None]]):
    """Whom a run reports to."""


@hooks(name="assay_progress", description="Tells Assay of finished attempts and of what was spent.")
class ProgressHooks(Hooks):
    """Passes Inspect's events on to whoever runs the suite."""

    async def on_sample_start(self, data: SampleStart) -> None:
        """Tell the listeners that an attempt has begun."""
        about = data.summary.metadata.get("assay", {})
        started = Started(agent=str(about.get("agent", "")), task=str(data.summary.id))
        for _, begin in run_context().part(Listeners):
            if begin is not None:
                begin(started)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Tell the listeners that an attempt has ended."""
        sample = data.sample
        score = (sample.scores or {}).get("assay")
        value = score.value if score is not None else None
        passed = value.get("passed") if isinstance(value, dict) else None
        known = isinstance(passed, int | float) and passed == passed
        finished = Finished(
            agent=str(sample.metadata.get("assay", {}).get("agent", "")),
            task=str(sample.id),
            passed=bool(passed) if known else None,
            error=sample.error.message if sample.error else None,
            seconds=sample.total_time or 0.0,
            tokens=sum(usage.total_tokens for usage in sample.model_usage.values()),
            cost=_cost(sample),
        )
        for listener, _ in run_context().part(Listeners):
            listener(finished)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Let no half character that a model sent keep the next request from being written."""
        make_encodable(data.input)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Add up what the run has cost."""
        purse().spent += data.usage.total_cost or 0.0


def _cost(sample: EvalSample) -> float | None:
    known = [usage.total_cost for usage in sample.model_usage.values() if usage.total_cost is not None]
    return sum(known) if known else None


def load_hooks_quietly() -> None:
    """Let Inspect load its hooks now, since it prints a banner on standard output when it does."""
    from assay.inspect_private import init_hooks

    with redirect_stdout(io.StringIO()):
        init_hooks()


def listen(listener: Listener, begin: StartListener | None = None) -> Callable[[], None]:
    """Be told of finished attempts, and of those that begin; the result stops it."""
    listeners, entry = run_context().part(Listeners), (listener, begin)
    listeners.append(entry)
    return lambda: listeners.remove(entry)
