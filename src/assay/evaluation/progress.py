"""What a run prints while it continues: each finished attempt, and what the run has cost."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from contextlib import redirect_stdout

from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelRetry,
    ModelUsageData,
    RunEnd,
    SampleEnd,
    SampleEvent,
    SampleStart,
    TaskStart,
    hooks,
)
from inspect_ai.log import EvalSample

from assay.agents.encodable import make_encodable
from assay.agents.request_rate import request_rate
from assay.agents.run_cost_cap import purse
from assay.agents.service_watch import service_watch
from assay.evaluation.events import Finished, Started, Waiting
from assay.evaluation.pending import RunSpecs, forget_graded
from assay.grading.verdict import Grade
from assay.inspect_private import close_models
from assay.run_context import run_context
from assay.scoring.logs.failure_owner import owner_of_error, owner_of_grade

Listener = Callable[[Finished], None]
StartListener = Callable[[Started], None]
WaitListener = Callable[[Waiting], None]

REASONS = {
    429: "it limits requests",
    408: "it took too long",
    503: "it is overloaded",
    529: "it is overloaded",
}


class Listeners(list[tuple[Listener, StartListener | None, WaitListener | None]]):
    """Whom a run reports to."""


class RunningSamples(dict[str, Started]):
    """Inspect's identifier of each running sample → its agent and task."""


@hooks(name="assay_progress", description="Tells Assay of finished attempts and of what was spent.")
class ProgressHooks(Hooks):
    """Passes Inspect's events on to whoever runs the suite."""

    async def on_task_start(self, data: TaskStart) -> None:
        """Note what the log says about all of its attempts."""
        run_context().part(RunSpecs)[data.eval_id] = data.spec

    async def on_sample_start(self, data: SampleStart) -> None:
        """Tell the listeners that an attempt has begun."""
        metadata = data.summary.metadata.get("assay", {})
        started = Started(agent=str(metadata.get("agent", "")), task=str(data.summary.id))
        run_context().part(RunningSamples)[data.sample_id] = started
        for _, begin, _ in run_context().part(Listeners):
            if begin is not None:
                begin(started)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Tell the listeners that an attempt has ended."""
        sample = data.sample
        run_context().part(RunningSamples).pop(data.sample_id, None)
        await asyncio.to_thread(forget_graded, sample)
        score = (sample.scores or {}).get("assay")
        value = score.value if score is not None else None
        passed = value.get("passed") if isinstance(value, dict) else None
        is_known = isinstance(passed, int | float) and passed == passed
        finished = Finished(
            agent=str(sample.metadata.get("assay", {}).get("agent", "")),
            task=str(sample.id),
            passed=bool(passed) if is_known else None,
            error=sample.error.message if sample.error else None,
            seconds=sample.total_time or 0.0,
            tokens=sum(usage.total_tokens for usage in sample.model_usage.values()),
            cost=_cost(sample),
            owner=_owner(sample),
        )
        for listener, _, _ in run_context().part(Listeners):
            listener(finished)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Wait until the run may send a request, and remove half characters, which cannot be sent."""
        make_encodable([data.input, data.tools, data.tool_choice, data.config])
        await request_rate().wait_turn()
        purse().check_request()

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Add up what the run has cost."""
        purse().add(data.usage.total_cost or 0.0)
        await request_rate().add_tokens(data.usage.total_tokens)
        service_watch().answered()

    async def on_sample_event(self, data: SampleEvent) -> None:
        """Note that the service answers; some services state no usage, so an answer without it counts too."""
        if data.event.event == "model" and data.event.error is None:
            service_watch().answered()

    async def on_run_end(self, data: RunEnd) -> None:
        """Close the connections to the services of models."""
        await close_models()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Tell the listeners that an attempt waits for its service, and why."""
        service_watch().failed()
        started = run_context().part(RunningSamples).get(data.sample_id or "", Started(agent="", task=""))
        waiting = Waiting(
            agent=started.agent,
            task=started.task,
            model=data.model_name,
            retry=data.attempt,
            seconds=data.wait_time,
            reason=_reason(data),
        )
        for _, _, wait in run_context().part(Listeners):
            if wait is not None:
                wait(waiting)


def _reason(data: ModelRetry) -> str:
    if data.status_code is None:
        return data.exception_type or "unknown"
    return f"{REASONS.get(data.status_code, 'it fails')} (HTTP {data.status_code})"


def _cost(sample: EvalSample) -> float | None:
    costs = [usage.total_cost for usage in sample.model_usage.values() if usage.total_cost is not None]
    return sum(costs) if costs else None


def _owner(sample: EvalSample) -> str | None:
    """Whose doing it is that the attempt did not pass; None where it passed."""
    if sample.error is not None:
        return owner_of_error(sample.error.message)
    score = (sample.scores or {}).get("assay")
    grade = (score.metadata or {}).get("grade") if score is not None else None
    return None if grade is None else owner_of_grade(Grade.model_validate(grade))


def load_hooks_quietly() -> None:
    """Let Inspect load its hooks now, since it prints a banner on standard output when it does."""
    from assay.inspect_private import init_hooks

    with redirect_stdout(io.StringIO()):
        init_hooks()


def listen(
    listener: Listener, begin: StartListener | None = None, wait: WaitListener | None = None
) -> Callable[[], None]:
    """Pass finished attempts on, and those that begin or wait for a service; the result stops it."""
    entry = (listener, begin, wait)
    listeners = run_context().part(Listeners)
    listeners.append(entry)
    return lambda: listeners.remove(entry)
