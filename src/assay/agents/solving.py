"""Agents as Inspect solvers, bound by the task's budget, with every failure given to its owner."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from inspect_ai.log import transcript
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import (
    Limit,
    LimitExceededError,
    SandboxEnvironment,
    SandboxUnavailableError,
    apply_limits,
    cost_limit,
    sandbox,
    time_limit,
    token_limit,
    turn_limit,
)
from tenacity import RetryError

from assay.agents.allowance import limits_context
from assay.agents.budget import Budget, spent_before
from assay.agents.encodable import make_encodable
from assay.agents.hand_in import hand_in_request, solve_until_asked
from assay.agents.hands import Hands
from assay.agents.refused_requests import refused_too_often
from assay.agents.replay import RecordedTaskError
from assay.agents.request_faults import (
    answers_again,
    fails_in_model,
    is_request_at_fault,
    patience_after,
    silent_seconds,
    unanswered_requests,
)
from assay.agents.run_cost_cap import BudgetSpent, RunCapReached, purse
from assay.agents.service_control import with_control_requests
from assay.agents.service_watch import service_watch
from assay.errors import GpuMemoryExceeded, SandboxError
from assay.inspect_private import call_many_tools_in_turn, drop_impossible_counts, keep_first_tool_calls
from assay.models.probe import one_line, root_cause
from assay.tasks import Task
from assay.workspace.collect import kill_processes

if TYPE_CHECKING:
    from assay.agents.entry import Script


class ModelServiceFailure(RuntimeError):
    """The model's service failed; the attempt says nothing of the agent."""


def script_solver(script: Script, tasks: Mapping[str, Task]) -> Solver:
    """A scripted agent as a solver."""

    async def act(state: TaskState, generate: Generate) -> TaskState:
        await script(Hands(tasks[str(state.sample_id)], sandbox()))
        return state

    return act


def bounded(inner: Solver, tasks: Mapping[str, Task], budget: Budget) -> Solver:
    """A solver that ends at the task's budget and whose crash is graded, not lost.

    What fails in the model's service or in the sandbox is raised on: it is no attempt of the agent. What the
    agent itself breaks, its own sandbox included, is noted, and what it left is graded.
    """
    call_many_tools_in_turn()
    keep_first_tool_calls()
    drop_impossible_counts()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        allowed = budget.of(tasks[str(state.sample_id)]).less(spent_before())
        purse().check()
        service_watch().check()
        hand_in_request().check()
        limits = _limits(allowed)
        has_own_cost = _own_cost(allowed)  # the run's money may be less when the attempt ends

        async def work() -> tuple[TaskState, LimitExceededError | None]:
            with limits_context(limits), apply_limits(list(limits.values()), catch_errors=True) as scope:
                return await solve_until_asked(inner, state, generate), None
            return state, scope.limit_error

        try:
            state, limit_error = await with_control_requests(work, allowed.seconds)
        except (LimitExceededError, RecordedTaskError):
            raise
        except GpuMemoryExceeded as error:
            state.metadata["limit"] = "gpu-memory"
            state.metadata["crash"] = error.message
        except Exception as error:
            if isinstance(error, SandboxError | SandboxUnavailableError) and not await broke_it(sandbox()):
                raise
            patience = service_watch().patience
            is_own = refused_too_often() or not fails_in_model(error)
            await _end_processes(sandbox())
            if not is_own and not await is_request_at_fault(error, unanswered_requests(), patience):
                raise _service_failure(error) from error
            state.metadata["crash"] = "".join(traceback.format_exception(error))[-2000:]
        else:
            if limit_error is not None:
                _count_last_request(limit_error)
                is_runs_money = isinstance(limit_error, RunCapReached) or not has_own_cost
                if limit_error.type == "cost" and is_runs_money and not _has_answer():
                    raise BudgetSpent("the run's money was spent before this attempt had an answer")
                await _end_processes(sandbox())
                await _check_service_used(allowed, limit_error)
                state.metadata["limit"] = str(limit_error.type)
            if "cost" in limits:
                purse().count_attempt(limits["cost"].usage)
        finally:
            make_encodable([state.messages, state.output, state.metadata, *transcript().events])
        return state

    return without_arguments(solve)


def _has_answer() -> bool:
    """Whether the model has answered in this attempt: before that, an agent cannot know that it fails."""
    return any(event.event == "model" and event.output.choices for event in transcript().events)


def _count_last_request(limit: LimitExceededError) -> None:
    """Add the request that exceeded a limit to the run's spending.

    Inspect checks tokens and cost before it reports the usage of a request, so this one was not reported.
    """
    if limit.type in ("cost", "token") and not isinstance(limit, RunCapReached):
        usages = [event.output.usage for event in transcript().events if event.event == "model"]
        if usages and usages[-1] is not None:
            purse().add(usages[-1].total_cost or 0.0)


def _service_failure(error: Exception) -> ModelServiceFailure:
    """What a failed request becomes; one that was given up after retries may show an outage."""
    cause = root_cause(error)
    reason = f"{type(cause).__name__}: {one_line(cause)}"
    if any(isinstance(each, RetryError) for each in (error, error.__cause__)):
        service_watch().give_up(reason)
    return ModelServiceFailure(f"model service: {reason}")


async def _check_service_used(allowed: Budget, limit: LimitExceededError) -> None:
    """An attempt whose time ran out while its service failed for more than half of it is not an attempt.

    A service that answers once the attempt is over did not fail: the attempt's own requests may have kept it
    from answering. That also counts an attempt whose service came back in its very last moments. A service
    that only leaves a request open may still compute its answer, so it gets more time to answer another one.
    """
    failing, silent = service_watch().failing_seconds(), silent_seconds()
    waited = max(failing, silent)
    is_failing = limit.type == "time" and allowed.seconds is not None and waited > allowed.seconds / 2
    # An attempt that waits for no answer is not held up by its service.
    unanswered = unanswered_requests() if is_failing else []
    models = {str(request.model): request.model for request in unanswered}
    patience = patience_after(waited, is_silent=silent > failing)
    if models and not refused_too_often() and not await answers_again(list(models.values()), patience):
        reason = f"no answer for the last {waited:.0f} s of the attempt"
        service_watch().give_up(reason)
        raise ModelServiceFailure(f"model service: {reason}")


async def _end_processes(environment: SandboxEnvironment) -> None:
    """End what the agent left running: its time is over while the harness looks for the cause of its end."""
    with suppress(SandboxError, SandboxUnavailableError):
        await kill_processes(environment)


def without_arguments(solve: Solver) -> Solver:
    """The solver as Inspect sees it: it writes arguments into its log, and ours hold the truth."""

    @solver(name="assay_agent")
    def made() -> Solver:
        return solve

    return made()


async def broke_it(environment: SandboxEnvironment) -> bool:
    """Whether the agent broke its own sandbox: a fresh one of the same kind answers."""
    from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment
    from assay.sandbox.session.left_workspace import control_sandbox_works

    try:
        box = environment.as_type(BwrapSandboxEnvironment).box
    except TypeError:
        return False
    return await control_sandbox_works(box)


def _limits(allowed: Budget) -> dict[str, Limit]:
    limits: dict[str, Limit] = {"seconds": time_limit(allowed.seconds)}
    if allowed.tokens is not None:
        limits["tokens"] = token_limit(allowed.tokens)
    if allowed.turns is not None:
        limits["turns"] = turn_limit(allowed.turns)
    left = allowed.cost if _own_cost(allowed) else purse().left()
    if left is not None:
        limits["cost"] = cost_limit(left)
    return limits


def _own_cost(allowed: Budget) -> bool:
    """Whether the attempt's own money ends before the run's."""
    left = purse().left()
    return allowed.cost is not None and (left is None or allowed.cost <= left)
