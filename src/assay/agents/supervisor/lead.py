"""The supervisor: makes a plan, sends a worker to each step, reads the reports, re-plans, hands in.

After the ML Research Benchmark's agent, without its faults: one provider plans and works unless another
planner is asked for, tools are found by name and their arguments checked (Inspect does both), and nothing but
`finish` or the budget ends the attempt.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import anyio
from inspect_ai.agent import AgentPrompt, AgentState, AgentSubmit, as_solver, react
from inspect_ai.model import ChatMessageUser, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.tool import ToolDef, ToolError, read_file, think
from inspect_ai.util import LimitExceededError, store_as

from assay.agents.allowance import what_is_left
from assay.agents.supervisor.jobs import Jobs
from assay.agents.supervisor.notebook import Notebook
from assay.agents.supervisor.offering import offered, shortened
from assay.agents.supervisor.turns import Turns
from assay.agents.supervisor.worker import WORD as WORKER_WORD
from assay.agents.supervisor.worker import work, worker_tools
from assay.errors import UsageError
from assay.inspect_private import PrerequisiteError
from assay.tasks import Task

PROMPT = """You supervise machine-learning research in /workspace. You do not act there yourself: workers do,
one step of your plan at a time, each with at most {turns} turns and a fresh memory. First call make_plan()
with steps that one worker can do and check. Then send a worker with work_on(), read its report, look at files
where you doubt it, and send the next. Have something valid in the workspace early, and improve on it by
trying alternatives and leaving parts out. When the reports show that the plan does not hold, make another (at
most {replans} times). Watch what is left of the budget: leave time to hand in. {end}"""
ENDS = {
    "finish": """Only finish() ends the attempt; the files in the workspace are graded as they stand then, not
what you say.""",
    "budget": """You work until the budget is used up; you cannot end earlier. The files in the workspace are
graded as they stand at that moment, not what you say.""",
}
WORDS = {
    "finish": "Go on with a tool: make_plan(), work_on(), or finish() when the files are as you want them "
    "graded.",
    "budget": "Go on with a tool: make_plan() or work_on(). If all steps are done, plan how to improve the "
    "result.",
}
LAST = {"finish": "go on with this plan, or finish()", "budget": "go on with this plan"}
MOST_STEPS = 100
"""Of one plan: Inspect compares its record of the plan step by step after each call."""
SAME = "same"
"""The planner that is the model of the run."""


def supervisor_solver(
    tasks: Mapping[str, Task],
    *,
    planner: str = SAME,
    worker_turns: int = 30,
    replans: int = 10,
    memory: str = "window",
    memory_tokens: int = 32_000,
    end: str = "finish",
) -> Solver:
    """The supervisor with its workers for any task."""
    model = None if planner == SAME else _planner(planner)
    settings = Ways(worker_turns, replans, memory, memory_tokens, end)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        hosts = tasks[str(state.sample_id)].config.environment.allowed_hosts or []
        lead = Lead(state.input_text, tuple(hosts), settings)
        if kept := lead.notebook.shown():
            state.messages.append(ChatMessageUser(content=kept))
        if reminder := what_is_left():
            state.messages.append(ChatMessageUser(content=reminder))
        try:
            return await lead.solver(model)(state, generate)
        finally:
            # What cannot be killed from inside, as in a sandbox that is gone, dies with the sandbox.
            with anyio.move_on_after(30, shield=True), contextlib.suppress(Exception):
                await lead.jobs.stop_all()

    return solve


def _planner(name: str) -> Model:
    try:
        return get_model(name)
    except (PrerequisiteError, ValueError) as error:
        raise UsageError(
            f"the planner {name!r} cannot be used: {error}",
            hint="name a model as --model does, such as planner=openai/gpt-5-mini",
        ) from None


@dataclass(frozen=True)
class Ways:
    """How a supervisor and its workers are bound."""

    worker_turns: int
    replans: int
    memory: str
    memory_tokens: int
    end: str
    """What ends the attempt: `finish` or `budget`."""


class Lead:
    """The supervisor of one attempt."""

    def __init__(self, instruction: str, hosts: tuple[str, ...], settings: Ways) -> None:
        self.instruction, self.hosts, self.settings = instruction, hosts, settings
        self.notebook, self.jobs = store_as(Notebook), Jobs()
        self.over: LimitExceededError | None = None
        """The attempt's limit that a worker met: Inspect would tell the supervisor of it and go on."""

    def solver(self, model: Model | None) -> Solver:
        """Inspect's loop around the supervisor's tools."""
        turns = self._turns(WORDS[self.settings.end])

        async def go_on(state: AgentState) -> bool | str | AgentState:
            if self.over is not None:
                raise self.over
            return await turns.go_on(state)

        return as_solver(
            react(
                name="supervisor",
                description="Plans, watches and re-plans.",
                prompt=AgentPrompt(
                    PROMPT.format(
                        turns=self.settings.worker_turns,
                        replans=self.settings.replans,
                        end=ENDS[self.settings.end],
                    ),
                    assistant_prompt=None,
                ),
                tools=[
                    offered(self.make_plan, "make_plan"),
                    offered(self.work_on, "work_on"),
                    shortened(read_file(timeout=60)),
                    *(tool for tool in self.jobs.tools() if tool.name != "start_job"),
                    *self.notebook.tools(),
                    ToolDef(think()),
                ],
                model=model,
                submit=self._submit(),
                on_continue=go_on,
                truncation=turns.overflow,
            )
        )

    def _submit(self) -> AgentSubmit | Literal[False]:
        if self.settings.end == "budget":
            return False
        return AgentSubmit(name="finish", tool=offered(self.finish, "finish"), keep_in_messages=True)

    def _turns(self, word: str, most: int | None = None) -> Turns:
        return Turns(
            self.notebook, word, memory=self.settings.memory, tokens=self.settings.memory_tokens, most=most
        )

    async def make_plan(self, steps: list[str], reason: str = "") -> str:
        """Make the plan, or another one in place of the present one.

        Args:
            steps: What is to be done, in order; each step for one worker.
            reason: Why the plan is changed.
        """
        book = self.notebook
        if not steps:
            raise ToolError("the plan has no step")
        if len(steps) > MOST_STEPS:
            raise ToolError(f"the plan has {len(steps)} steps, at most {MOST_STEPS} are allowed: join some")
        if book.plans > self.settings.replans:
            raise ToolError(f"all {self.settings.replans} replans are used: {LAST[self.settings.end]}")
        book.plan, book.states = list(steps), ["open"] * len(steps)
        book.plans += 1
        left = self.settings.replans + 1 - book.plans
        return f"Plan {book.plans} has {len(steps)} steps; it can be made again {left} times."

    async def work_on(self, step: int, advice: str = "") -> str:
        """Send a worker to one step of the plan and get its report; it sees the task, the plan and the notes.

        Args:
            step: The step's number, from 1.
            advice: What else this worker should know, such as what an earlier one found.
        """
        if self.over is not None:
            # One answer may send many workers, and each would make one more request.
            raise self.over
        book = self.notebook
        if not 1 <= step <= len(book.plan):
            raise ToolError(f"the plan has {len(book.plan)} steps: there is no step {step}")
        plan = book.plans
        tools = worker_tools(book, self.jobs, self.hosts)
        turns = self._turns(WORKER_WORD, self.settings.worker_turns)
        try:
            step_done, report = await work(self._brief(step, advice), tools, turns)
        except LimitExceededError as error:
            self.over = error
            raise
        book.states = [*book.states[: step - 1], "done" if step_done else "not done", *book.states[step:]]
        book.reports = [*book.reports, f"- plan {plan}, step {step}: {report}"]
        return "\n".join(filter(None, [report, self.jobs.shown()]))

    async def finish(self, note: str) -> str:
        """End the attempt and hand in the workspace as it is; background jobs are stopped.

        Args:
            note: What is handed in: the files that matter, how they were made, what you measured.
        """
        self.notebook.submission_note = note
        return note

    def _brief(self, step: int, advice: str) -> str:
        parts = [
            f"# The whole task\n\n{self.instruction}",
            self.notebook.shown(),
            self.jobs.shown(),
            f"# Your step\n\nStep {step}: {self.notebook.plan[step - 1]}",
            advice and f"The supervisor's advice: {advice}",
        ]
        return "\n\n".join(filter(None, parts))
