"""The agents that are tried with a model, and what can be set of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.agents.entry import AgentEntry, Maker, Settled, View
from assay.agents.options import Option
from assay.agents.papers import check_excerpts, show_paper
from assay.tasks import Task

if TYPE_CHECKING:
    from inspect_ai.solver import Solver

Values = Mapping[str, str]
UNSET = "unset"
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")

PAPER = Option(
    "paper",
    "file",
    "what of the paper is given: the file in the workspace, nothing, its whole text, the passages that speak "
    "of the functions, or the exact excerpt that describes them",
    ("file", "none", "full", "retrieved", "excerpt"),
)
PASSAGES = Option("passages", "5", "how many passages, with paper=retrieved")
REASONING = (
    Option("reasoning_tokens", UNSET, "the reasoning budget, where the model's service takes one"),
    Option("reasoning_effort", UNSET, "how hard the model thinks, where it takes that", (UNSET, *EFFORTS)),
)
SHARED = (PAPER, PASSAGES, *REASONING)
PLAN = Option("plan", "no", "whether the prompt asks the agent to plan before it acts", ("no", "yes"))
TOOLS = Option(
    "tools",
    "shell",
    "the tools: a shell and Python, or also one that lists packages and checks imports",
    ("shell", "environment"),
)
MEMORY = Option(
    "memory",
    "full",
    "what is kept of a long conversation: all, its end, or a summary",
    ("full", "window", "summary"),
)
MEMORY_TOKENS = Option("memory_tokens", "32000", "tokens of conversation at which memory is cut down")
K = Option("k", "5", "how many candidates")
VERIFIER = Option(
    "verifier",
    "majority",
    "how one is chosen: most agree on its numbers, they are nearest the paper's, or the model chooses",
    ("majority", "paper", "model"),
)
PLANNER = Option("planner", "same", "the model that plans, where it is not the one that works", free=True)
WORKER_TURNS = Option("worker_turns", "30", "turns that a worker has for one step of the plan")
REPLANS = Option("replans", "10", "how often the plan may be made again")
END = Option(
    "end", "finish", "what ends an attempt: the supervisor, or only its budget", ("finish", "budget")
)


def model_agents() -> list[AgentEntry]:
    """react, iterative, supervisor, agentless and best_of."""
    return [
        _agent(
            "react",
            "Acts, observes, revises, with a shell in the sandbox.",
            _react,
            (PLAN, MEMORY, MEMORY_TOKENS, TOOLS),
        ),
        _agent(
            "iterative",
            "Continues until the budget is used up; it cannot end earlier. Each turn it sees what is left.",
            _iterative,
            (MEMORY, MEMORY_TOKENS, TOOLS),
        ),
        _agent(
            "supervisor",
            "Plans and re-plans, and sends workers with every tool to one step of the plan at a time.",
            _supervisor,
            (PLANNER, WORKER_TURNS, REPLANS, END, replace(MEMORY, default="window"), MEMORY_TOKENS),
        ),
        _agent("agentless", "Answers once, with whole files, without running anything.", _agentless, ()),
        _agent(
            "best_of", "Answers k times, runs each answer, and hands in one of them.", _best_of, (K, VERIFIER)
        ),
    ]


def _react(tasks: Mapping[str, Task], values: Values) -> Solver:
    from assay.agents.react import react_solver

    return react_solver(
        plan=values["plan"] == "yes",
        memory=values["memory"],
        memory_tokens=int(values["memory_tokens"]),
        tools=values["tools"],
    )


def _iterative(tasks: Mapping[str, Task], values: Values) -> Solver:
    from assay.agents.iterative import iterative_solver

    return iterative_solver(
        memory=values["memory"], memory_tokens=int(values["memory_tokens"]), tools=values["tools"]
    )


def _supervisor(tasks: Mapping[str, Task], values: Values) -> Solver:
    from assay.agents.supervisor import supervisor_solver

    return supervisor_solver(
        tasks,
        planner=values["planner"],
        worker_turns=int(values["worker_turns"]),
        replans=int(values["replans"]),
        end=values["end"],
        memory=values["memory"],
        memory_tokens=int(values["memory_tokens"]),
    )


def _agentless(tasks: Mapping[str, Task], values: Values) -> Solver:
    from assay.agents.agentless import agentless_solver

    return agentless_solver(tasks)


def _best_of(tasks: Mapping[str, Task], values: Values) -> Solver:
    from assay.agents.best_of import best_of_solver

    return best_of_solver(tasks, k=int(values["k"]), verifier=values["verifier"])


def _agent(
    name: str,
    description: str,
    make: Callable[[Mapping[str, Task], Values], Solver],
    options: tuple[Option, ...],
) -> AgentEntry:
    def settle(values: Values) -> Settled:
        return Settled(_maker(make, values), _view(values), _generate(values))

    all_options = (*options, *SHARED)
    plain = settle({option.name: option.default for option in all_options})
    return AgentEntry(
        name,
        description,
        "agent",
        plain.make,
        needs_model=True,
        options=all_options,
        settle=settle,
        view=plain.view,
    )


def _maker(make: Callable[[Mapping[str, Task], Values], Solver], values: Values) -> Maker:
    return lambda tasks: make(tasks, values)


def _view(values: Values) -> View:
    paper_mode: Any = values["paper"]

    def view(task: Task) -> Task:
        if paper_mode == "excerpt":
            check_excerpts(task)
        return show_paper(task, paper_mode, int(values["passages"]))

    return view


def _generate(values: Values) -> dict[str, Any]:
    """Inspect's generation options that belong to the agent, and so to its name."""
    generate_options: dict[str, Any] = {}
    if values["reasoning_tokens"] != UNSET:
        generate_options["reasoning_tokens"] = int(values["reasoning_tokens"])
    if values["reasoning_effort"] != UNSET:
        generate_options["reasoning_effort"] = values["reasoning_effort"]
    return generate_options
