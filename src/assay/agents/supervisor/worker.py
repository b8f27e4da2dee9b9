"""A worker: acts on one step of the plan with every tool, and reports back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspect_ai.agent import AgentPrompt, AgentState, AgentSubmit, react, run
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolDef, bash, python, read_file, think

from assay.agents.allowance import what_is_left
from assay.agents.react import TOOL_SECONDS
from assay.agents.supervisor.editing import editing_tools
from assay.agents.supervisor.jobs import Jobs
from assay.agents.supervisor.notebook import Notebook
from assay.agents.supervisor.offering import offered, shortened
from assay.agents.supervisor.output import shorten
from assay.agents.supervisor.outside import outside_tools
from assay.agents.supervisor.turns import Turns

PROMPT = f"""You are a machine-learning researcher who works on one step of a plan that a supervisor made.
Your workspace is /workspace. Do this step and nothing beyond it: act with the tools, look at what they
return, check what you did by running it. A command is killed after {TOOL_SECONDS} seconds: start what takes
longer with start_job() and poll it. Note with take_note() whatever later workers must know, since they see
nothing else of your work but your report. When the step is done, or cannot be done, call report() and say
what you did, what you measured and what is left. What counts is the files in the workspace."""

WORD = "Go on with a tool, or call report() when the step is done or cannot be done."
LAST_WORDS = 1_500
LAST_RESULTS = 3_000


def worker_tools(notebook: Notebook, jobs: Jobs, hosts: Sequence[str]) -> list[ToolDef]:
    """Every tool of a worker but its report."""
    return [
        shortened(bash(timeout=TOOL_SECONDS)),
        shortened(python(timeout=TOOL_SECONDS)),
        shortened(read_file(timeout=60)),
        *editing_tools(),
        *jobs.tools(),
        *notebook.tools(),
        ToolDef(think()),
        *outside_tools(hosts),
    ]


class WorkerReport:
    """What a worker says at its end."""

    done: bool | None = None
    """None while it has not reported."""
    summary: str = ""

    async def report(self, done: bool, summary: str) -> str:
        """End your work on this step and report to the supervisor.

        Args:
            done: Whether the step is done.
            summary: What you did, what you measured, what is left.
        """
        self.done, self.summary = done, summary
        return summary


async def work(brief: str, tools: Sequence[ToolDef], turns: Turns) -> tuple[bool, str]:
    """Let a worker act; whether the step is done, and its report with what the harness saw of it."""
    report = WorkerReport()
    agent = react(
        name="worker",
        description="Works on one step of the plan.",
        prompt=AgentPrompt(PROMPT, assistant_prompt=None),
        tools=tools,
        submit=AgentSubmit(name="report", tool=offered(report.report, "report"), keep_in_messages=True),
        on_continue=turns.go_on,
        truncation=turns.overflow,
    )
    prompt = "\n\n".join(filter(None, [brief, what_is_left()]))
    state = await run(agent, [ChatMessageUser(content=prompt)])
    summary = shorten(report.summary) if report.done is not None else _unreported(state)
    # The turn that ends with a report is not followed by another word, so it was not counted.
    turns_made = turns.made + (report.done is not None)
    return report.done is True, f"{summary}\n\n[harness: {turns_made} of {turns.most} turns; {_used(state)}]"


def _unreported(state: AgentState) -> str:
    """What stands for the report of a worker whose turns ended: its last words and its last results."""
    spoken = [
        message
        for message in state.messages
        if isinstance(message, ChatMessageAssistant) and message.text.strip()
    ]
    words = shorten(spoken[-1].text, LAST_WORDS) if spoken else "(none)"
    results = [message.text for message in state.messages if isinstance(message, ChatMessageTool)]
    last = shorten(results[-1], LAST_RESULTS) if results else "(none)"
    return f"(No report: the worker's turns ended.)\nIts last words: {words}\nIts last result: {last}"


def _used(state: AgentState) -> str:
    """Which tools were called, by the harness's own count, in what is left of the conversation."""
    calls = Counter(message.function for message in state.messages if isinstance(message, ChatMessageTool))
    failed = sum(
        message.error is not None for message in state.messages if isinstance(message, ChatMessageTool)
    )
    used = ", ".join(f"{name} ×{count}" for name, count in calls.items()) or "no tool"
    return f"{used}; {failed} calls failed"
