"""Act and observe: Inspect's own react agent, with a shell and Python in the sandbox."""

from __future__ import annotations

from inspect_ai.agent import AgentPrompt, AgentState, as_solver, react
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.tool import Tool, bash, python

from assay.agents.allowance import what_is_left
from assay.agents.environment_tool import environment
from assay.agents.memory import cut_down

PROMPT = """You are a machine-learning researcher. Your workspace is /workspace, a copy of a research
repository. You can run shell commands and Python there; there is no network. Work on the task until it is
done, check your work by running it, and call submit() when the files in the workspace are as you want them
graded. What counts is the files you leave, not what you say."""

PLAN = """

Before you change anything, read what the task names and write down a plan: what each missing part must do,
which part of the paper says so, how the parts depend on each other, and how you will check each of them.
Follow the plan, and say so when you change it."""

ENVIRONMENT = """

The tool `environment` lists the installed packages, and checks which imports of your files fail."""

CONTINUE = "Go on, or call submit() when the files are as you want them graded."
TOOL_SECONDS = 180


def react_solver(
    *, plan: bool = False, memory: str = "full", memory_tokens: int = 32_000, tools: str = "shell"
) -> Solver:
    """The react agent for any task."""
    prompt = PROMPT + PLAN if plan else PROMPT
    return acting(prompt, CONTINUE, memory=memory, memory_tokens=memory_tokens, tools=tools)


def acting(
    prompt: str,
    word: str,
    *,
    memory: str,
    memory_tokens: int,
    tools: str,
    endless: bool = False,
) -> Solver:
    """Inspect's loop with a shell and Python; `word` is said where no tool was called.

    With `tools="environment"` it has the tool for the environment too. An endless one is offered no submit()
    and goes on where its conversation grows too long for the model.
    """
    more_tools: list[Tool] = []
    if tools == "environment":
        more_tools.append(environment())
        prompt += ENVIRONMENT

    async def go_on(state: AgentState) -> bool | str | AgentState:
        """What is left, after every turn, and a word to go on where no tool was called."""
        reminder = what_is_left()
        if not state.output.message.tool_calls:
            reminder = f"{word}\n{reminder}".rstrip()
        messages = await cut_down(state, memory, memory_tokens)
        if messages is None:
            return reminder or True
        state.messages = [*messages, ChatMessageUser(content=reminder)] if reminder else messages
        return state

    agent = as_solver(
        react(
            prompt=AgentPrompt(prompt, assistant_prompt=None) if endless else AgentPrompt(prompt),
            tools=[bash(timeout=TOOL_SECONDS), python(timeout=TOOL_SECONDS), *more_tools],
            submit=False if endless else None,
            truncation="auto" if endless else "disabled",
            on_continue=go_on,
        )
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if reminder := what_is_left():
            state.messages.append(ChatMessageUser(content=reminder))
        return await agent(state, generate)

    return solve
