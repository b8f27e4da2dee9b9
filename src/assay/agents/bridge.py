"""Any command-line agent, unmodified, inside the sandbox; Inspect's bridge gives it the model of the run.

The bridge serves OpenAI's, Anthropic's and Google's protocols on a port inside the sandbox, which has no
network; what is asked there is asked of the model outside, where the keys are. Tokens are counted and limits
hold as for any agent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.agents.bridge_traffic import BridgeTraffic, admit_parts, watched_traffic
from assay.agents.custom import command_name, end_with, run_program
from assay.agents.entry import AgentEntry
from assay.agents.service_watch import service_watch
from assay.errors import SandboxError, UsageError
from assay.inspect_private import check_bridge_requests, end_programs_within, number_messages_quickly
from assay.tasks import Task
from assay.workspace import build_environment

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
    from inspect_ai.solver import Generate, Solver, TaskState
    from inspect_ai.tool import ToolChoice, ToolInfo

    from assay.agents.request_faults import Resend

PREFIX = "bridge"
NAMED = re.compile(r"bridge(?:\[(?P<how>install|folder)=(?P<what>[^=].*?)\])?:(?P<command>.+)", re.DOTALL)
HINT = "write bridge:COMMAND, bridge[install=mini-swe-agent==2.4.6]:COMMAND or bridge[folder=PATH]:COMMAND"
PORT = 13131
ADDRESS = f"http://127.0.0.1:{PORT}"
MODEL = "inspect"
"""What the model is called inside; whatever else a program asks for, it gets the model of the run."""
VARIABLES = {
    **dict.fromkeys(("OPENAI_BASE_URL", "OPENAI_API_BASE"), f"{ADDRESS}/v1"),
    **dict.fromkeys(("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"), ADDRESS),
    **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"), "none"),
    "ASSAY_MODEL": MODEL,
}
LISTENING = (
    f"for i in $(seq 400); do (: < /dev/tcp/127.0.0.1/{PORT}) 2> /dev/null && exit; sleep 0.05; done; exit 1"
)
END_SECONDS = 5.0
"""How long the end of the bridge may take; its processes end with the sandbox in any case."""
OWN_FAULTS = (400, 404, 413, 422)
"""What a service answers to a request that is wrong in itself: the program's doing, and for it to read."""


def is_bridged(name: str) -> bool:
    """Whether an agent's name asks for the bridge."""
    return re.match(r"bridge[\[:]", name) is not None


def from_bridge(name: str) -> AgentEntry:
    """The agent that `bridge:COMMAND` names, with programs of its own where brackets say so."""
    match = NAMED.fullmatch(name)
    if match is None:
        raise UsageError(f"the bridged agent {name!r} cannot be read", hint=HINT)
    source_kind, source, command = match["how"], match["what"], match["command"]
    folders = partial(_folders, source_kind, source)

    def make(tasks: Mapping[str, Task]) -> Solver:
        return bridge_solver(command, tasks, folders)

    description = f"The program `{command}`, inside the sandbox, with the model of the run over the bridge."
    return AgentEntry(command_name(command), description, "agent", make, needs_model=True, folders=folders)


def _folders(source_kind: str | None, source: str | None) -> tuple[Path, ...]:
    """The environment that holds the program, built now where it has to be."""
    if source is None:
        return ()
    if source_kind == "install":
        return (build_environment(source.split()),)
    folder = Path(source).expanduser().resolve()
    if not folder.is_dir():
        raise UsageError(f"there is no folder {source!r} to take an agent's programs from", hint=HINT)
    return (folder,)


def bridge_solver(command: str, tasks: Mapping[str, Task], folders: Callable[[], tuple[Path, ...]]) -> Solver:
    """A program that finds the model of the run on a port inside the sandbox."""
    from inspect_ai.agent import AgentState, sandbox_agent_bridge
    from inspect_ai.util import sandbox

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # Programs come last on the path: `python` stays the task's.
        path = ":".join(["$PATH", *(f"{folder}/bin" for folder in folders())])
        agent_state = AgentState(messages=state.messages)
        check_bridge_requests(_admit)
        number_messages_quickly()
        end_programs_within(END_SECONDS)
        with watched_traffic() as traffic:
            watch = Watch(traffic)
            async with sandbox_agent_bridge(agent_state, port=PORT, filter=watch.generate) as bridge:
                watch.fail = bridge.request_fail
                listening = await sandbox().exec(["/bin/bash", "-c", LISTENING], timeout=60)
                if not listening.success:
                    raise SandboxError("the bridge to the model does not listen inside the sandbox")
                instruction = tasks[str(state.sample_id)].instruction
                ended = await run_program(f'export PATH="{path}"\n{command}', instruction, VARIABLES)
        state.messages, state.output = bridge.state.messages, bridge.state.output
        return end_with(state, *ended)

    return solve


async def _admit(request: Mapping[str, Any]) -> None:
    """Wait until a request may be read, and state what its program left out; raise if it is too large."""
    await admit_parts(request)
    tools = request.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            _state_optional_fields(tool)


def _state_optional_fields(tool: dict[str, Any]) -> None:
    """State the fields of a tool that a program may leave out, and without which Inspect refuses the tool.

    OpenAI's chat protocol has the fields of a function one level deeper than its other protocol and
    Anthropic's.
    """
    kind = tool.get("type")
    fields = tool.get("function") if kind == "function" and "function" in tool else tool
    if not isinstance(fields, dict) or not (kind in ("function", "custom") or "input_schema" in tool):
        return
    optional = {"description": fields.get("name")}
    if kind == "function":
        optional["parameters"] = {"type": "object", "properties": {}}
    elif kind == "custom":
        optional["format"] = {"type": "text"}
    fields.update({name: value for name, value in optional.items() if fields.get(name) is None})


class Watch:
    """Hands limits and failures of the model's service to the attempt; the bridge tells the program alone."""

    fail: Callable[[Exception], None]

    def __init__(self, traffic: BridgeTraffic) -> None:
        self._traffic = traffic

    async def generate(
        self,
        model: Model,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice | None,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The model's answer, as without a watch, to a request that the limits of the attempt allow."""

        async def send(changes: Mapping[str, int]) -> ModelOutput:
            return await model.generate(messages, tools, tool_choice, config.model_copy(update=changes))

        self._traffic.admit(messages, tools, config)
        async with self._traffic.turn():
            return await self._answer(send, model)

    async def _answer(self, send: Resend, model: Model) -> ModelOutput:
        from inspect_ai.util import LimitExceededError

        try:
            try:
                return await send({})
            except Exception as error:
                return await self._judge(error, send, model)
        except LimitExceededError as error:
            self._traffic.is_over = True
            self.fail(error)
            raise RuntimeError(f"the attempt is over: {error.message}") from None

    async def _judge(self, error: Exception, send: Resend, model: Model) -> ModelOutput:
        """Raise the error of a request that failed, or return its answer after all.

        The attempt ends without a grade only if the service fails for a request of the harness too, while no
        other request of the attempt keeps the service busy.
        """
        from inspect_ai.util import LimitExceededError

        from assay.agents.request_faults import ONCE, answers_again, fails_for_good, patience_after
        from assay.inspect_private import provider_error_payload

        if fails_for_good(error) or provider_error_payload(error)["status"] in OWN_FAULTS:
            raise error
        async with self._traffic.alone():
            patience = patience_after(service_watch().failing_seconds())
            if await answers_again([model], patience):
                try:
                    return await send(ONCE)
                except LimitExceededError:
                    raise
                except Exception:
                    if await answers_again([model], patience):
                        raise error from None
        self.fail(error)
        raise error
