"""Every private name of Inspect that Assay needs; no other module imports one.

A private name may move in any release of Inspect: `tests/test_inspect_private.py` tries each of them. A name
is imported when it is first asked for, since some bring a provider or a web server with them.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache, partial, wraps
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from inspect_ai._util.entrypoints import ensure_entry_points as ensure_entry_points
    from inspect_ai._util.error import PrerequisiteError as PrerequisiteError
    from inspect_ai._util.registry import is_registry_object as is_registry_object
    from inspect_ai._util.registry import registry_find as registry_find
    from inspect_ai._util.registry import registry_info as registry_info
    from inspect_ai._view.view import view as view
    from inspect_ai.agent._bridge._errors import provider_error_payload as provider_error_payload
    from inspect_ai.hooks._startup import init_hooks as init_hooks
    from inspect_ai.log import EvalSample
    from inspect_ai.log._samples import sample_active as sample_active
    from inspect_ai.log._transcript import Transcript as Transcript
    from inspect_ai.log._transcript import init_transcript as init_transcript
    from inspect_ai.model import ModelOutput, ModelUsage
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI as OpenAICompatibleAPI
    from inspect_ai.solver import TaskState


class PrivateName(NamedTuple):
    """Where a private name of Inspect is, and what Assay needs it for."""

    module: str
    purpose: str


NAMES = {
    "OpenAICompatibleAPI": PrivateName(
        "inspect_ai.model._providers.openai_compatible", "the class that the local model's provider extends"
    ),
    "PrerequisiteError": PrivateName(
        "inspect_ai._util.error", "the error of a model that cannot be used, turned into one line"
    ),
    "Transcript": PrivateName("inspect_ai.log._transcript", "an empty transcript for the judge's calls"),
    "ensure_entry_points": PrivateName(
        "inspect_ai._util.entrypoints", "loads the providers of other packages, to list them"
    ),
    "init_hooks": PrivateName(
        "inspect_ai.hooks._startup", "loads the hooks early, so that their banner is not printed"
    ),
    "init_transcript": PrivateName(
        "inspect_ai.log._transcript", "keeps the judge's prompts, which hold the truth, out of the log"
    ),
    "is_registry_object": PrivateName(
        "inspect_ai._util.registry", "tells an agent or solver of a user from any other object"
    ),
    "provider_error_payload": PrivateName(
        "inspect_ai.agent._bridge._errors", "the status of a model's service that failed behind the bridge"
    ),
    "registry_find": PrivateName(
        "inspect_ai._util.registry", "lists the providers and sandboxes that Inspect knows"
    ),
    "registry_info": PrivateName(
        "inspect_ai._util.registry", "tells an agent from a solver, and names what is listed"
    ),
    "sample_active": PrivateName("inspect_ai.log._samples", "the log of the attempt that is going on"),
    "view": PrivateName("inspect_ai._view.view", "opens Inspect's log viewer"),
}

LATE_MODULES = ("inspect_ai._eval.eval", "inspect_ai.log._recorders.eval")
"""Modules that Inspect imports only when an evaluation begins: a run imports them before."""

LATE_MODULES_OF_MODELS = ("inspect_ai.model._openai_responses",)
"""The same for evaluations that may ask a model."""


class UnusedModule(NamedTuple):
    """What others import from a module by name, and why a run does not use it."""

    names: tuple[str, ...]
    reason: str


UNUSED_MODULES = {
    "inspect_ai._display.textual.display": UnusedModule(
        ("TextualDisplay",), "the full-screen display: a run has the display `none`"
    ),
    "inspect_ai._view.view": UnusedModule(("view",), "the web server of the log viewer"),
    "inspect_ai.agent._human.panel": UnusedModule(
        ("HumanAgentPanel",), "the part of the full-screen display for a human agent"
    ),
    "inspect_ai.approval._human.panel": UnusedModule(
        ("panel_approval",), "the part of the full-screen display in which a human approves tool calls"
    ),
    "inspect_ai.util._panel": UnusedModule(
        ("InputPanel", "input_panel"), "what these parts extend; it imports Textual"
    ),
    "httpx._main": UnusedModule(("main",), "the command line of httpx"),
    "jsonlines": UnusedModule((), "reads files of traces and data sets, which a run does not have"),
    "psutil": UnusedModule((), "looks at processes of the log viewer and of crashed evaluations"),
    "trio": UnusedModule((), "an event loop that httpcore imports if it is there: a run has asyncio"),
}
"""Modules that come with Inspect and that a run imports only if something uses them."""

BRIDGE_LOGGERS = ("inspect_ai.agent._bridge.sandbox.service", "inspect_ai.util._sandbox.service")
"""Modules whose loggers of the same name warn about requests that a bridged program sends."""


NESTING = ("inspect_ai._util._async", "_initialised_nest_asyncio")
"""The module and the flag by which Inspect notes that it has made event loops nestable."""


ACP_SERVER = "inspect_ai.agent._acp.server"
"""Inspect's server for editors: imported by every evaluation, with all models of its protocol."""

ACP_SESSION = ("inspect_ai.agent._acp.transport", "_acp_live_active")
"""The variable by which Inspect notes that an attempt already has a session for that server."""

LONGEST_INTEGER = 1_000
"""Digits of an integer in a tool call; Python reads a few thousand."""

OPENAI_STATE = ("inspect_ai.model._assistant_internal", "_HAS_OPENAI")
"""The flag by which Inspect imports OpenAI's client for every attempt, whatever its model."""


TOOL_CALLS = "inspect_ai.model._call_tools"
"""The module by which Inspect reads the arguments of tool calls; it names its parsers `json` and `yaml`."""


BRIDGE_TYPES = "inspect_ai.agent._bridge.types"
BRIDGE_SERVICE = "inspect_ai.agent._bridge.sandbox.service"
"""Modules that number and answer the requests of bridged programs."""

REMOTE_PROGRAMS = "inspect_ai.util._sandbox.exec_remote"
"""The module that starts and ends programs of Inspect inside a sandbox, such as the bridge's."""

TAG_SEARCHES = ("inspect_ai.model._reasoning", "inspect_ai.model._internal")
"""Modules that look for tags in what a model writes."""

MOST_TOKENS = 1_000_000_000
"""Of one request and its answer: a hundred times what the longest context of a model holds."""

USAGE_READERS = (
    ("inspect_ai.model._providers.openai_compatible", "model_output_from_openai"),
    ("inspect_ai.model._providers.openai_completions", "model_output_from_openai"),
    ("inspect_ai.model._providers.openai_responses", "model_usage_from_response_usage"),
)
"""Modules of providers, and the functions by which they read what a service says about tokens."""

_PARTS_OF_TOTAL = ("input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write")

MOST_CALLS = 200
"""Tool calls of one answer that are made at all."""
MOST_CALLS_AT_ONCE = 32
"""Tool calls of one answer that are made at the same time."""
MOST_ARGUMENT_ITEMS = 2_000
"""Items of lists and tables in the arguments of one tool call; no tool needs more."""
MOST_ARGUMENT_CHARACTERS = 4_000_000
"""Characters in the arguments of one tool call: a million tokens, which no model writes at once."""
MOST_TAG_STEPS = 20_000_000
"""How often a tag opens, times the length of the text: about a tenth of a second."""

LIVE_TABLE = ("inspect_ai._display.rich.display", "Live")
"""The table of results that Inspect draws at the end of each evaluation, with `display="none"` too."""


class _UnusedServer(ModuleType):
    """Stands for the module of the server for editors until somebody asks for the server itself."""

    def acp_server(self, *, eval_id: str, transport: bool | int | str | None) -> Any:
        if not transport:
            return contextlib.nullcontext()
        return self._load().acp_server(eval_id=eval_id, transport=transport)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._load(), name)

    def _load(self) -> ModuleType:
        if sys.modules.get(ACP_SERVER) is self:
            del sys.modules[ACP_SERVER]
        return import_module(ACP_SERVER)


class _WhenImported:
    """True once a module has been imported, by a model's provider for example."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __bool__(self) -> bool:
        return self._module in sys.modules


@contextlib.contextmanager
def without_unused_parts(*, asks_models: bool) -> Iterator[None]:
    """Keep an evaluation from importing a server for editors and, where it asks no model, OpenAI's client.

    These imports took a third of the processor time before the first attempt. Tables for a quiet console are
    not drawn. What a later release of Inspect no longer has is passed over.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, AttributeError):
            stack.enter_context(_without_unseen_tables())
        with contextlib.suppress(ImportError, AttributeError):
            if ACP_SERVER not in sys.modules:
                stand_in = _UnusedServer(ACP_SERVER)
                stand_in.__spec__ = find_spec(ACP_SERVER)
                sys.modules[ACP_SERVER] = stand_in
        with contextlib.suppress(ImportError, AttributeError):
            module, variable = ACP_SESSION
            session = getattr(import_module(module), variable)
            stack.callback(session.reset, session.set(True))
        with contextlib.suppress(ImportError):
            module, flag = OPENAI_STATE
            installed = find_spec("openai") is not None
            setattr(import_module(module), flag, installed if asks_models else _WhenImported("openai"))
        yield


@contextlib.contextmanager
def _without_unseen_tables() -> Iterator[None]:
    """Draw tables only on consoles that show something."""
    module, name = LIVE_TABLE
    owner = import_module(module)
    drawn: Any = getattr(owner, name)

    class UnseenTable(drawn):  # type: ignore[misc]
        def refresh(self) -> None:
            if not self.console.quiet:
                super().refresh()

    setattr(owner, name, UnseenTable)
    try:
        yield
    finally:
        setattr(owner, name, drawn)


def leave_event_loops_alone() -> None:
    """Keep Inspect from making the event loops of a notebook nestable."""
    module, flag = NESTING
    setattr(import_module(module), flag, True)


def bound_tag_searches() -> None:
    """Have Inspect look for pairs of tags only where that takes no long time.

    In every answer of a model, and in every message that a bridged program sends, Inspect looks for `<think>`
    and other tags. Its patterns read the rest of the text again for each tag that opens: days for 16 MiB.
    """
    for name in TAG_SEARCHES:
        module: Any = import_module(name)
        module.re = _BoundedSearches()


class _BoundedSearches:
    """Stands for `re`: a text that has the first tag of a pattern too often has no match."""

    def __getattr__(self, name: str) -> Any:
        return getattr(re, name)

    def search(self, pattern: str, text: str, flags: int = 0) -> re.Match[str] | None:
        return None if _takes_long(pattern, text) else re.search(pattern, text, flags)

    def finditer(self, pattern: str, text: str, flags: int = 0) -> Iterator[re.Match[str]]:
        return iter(()) if _takes_long(pattern, text) else re.finditer(pattern, text, flags)

    def sub(self, pattern: str, replacement: str, text: str, count: int = 0, flags: int = 0) -> str:
        return (
            text
            if _takes_long(pattern, text)
            else re.sub(pattern, replacement, text, count=count, flags=flags)
        )


def number_messages_quickly() -> None:
    """Have Inspect give ids to the messages of a bridged program in linear time.

    Equal messages get the ids that they had in earlier requests, in their order. Inspect lists all ids of the
    conversation again for each message: hours for 100,000 short ones.
    """
    module: Any = import_module(BRIDGE_TYPES)

    def id_for_message(bridge: Any, message: Any, conversation: list[Any]) -> str:
        if message is conversation[0]:
            bridge._assay_occurrences = Counter()
        key = module.message_json_hash(module.to_json_str_safe(message))
        ids: list[str] = bridge._message_ids.setdefault(key, [])
        place: int = bridge._assay_occurrences[key]
        bridge._assay_occurrences[key] += 1
        if place == len(ids):
            ids.append(module.uuid())
        return ids[place]

    module.AgentBridge._id_for_message = id_for_message


@cache
def check_bridge_requests(check: Callable[[Mapping[str, Any]], Awaitable[None]]) -> None:
    """Have Inspect await `check` with each request of a bridged program before it reads the request.

    `check` may change the request. The program gets an error of `check` as the answer of the service. A
    second call changes nothing.
    """
    module: Any = import_module(BRIDGE_SERVICE)
    forward = module._forward_provider_errors

    def forward_checked(generate: Any, bridge: Any) -> Any:
        async def checked(json_data: dict[str, Any], headers: dict[str, str] | None = None) -> Any:
            await check(json_data)
            return await generate(json_data, headers)

        return forward(checked, bridge)

    module._forward_provider_errors = forward_checked


@cache
def retry_requests_after(is_temporary: Callable[[BaseException], bool]) -> None:
    """Have Inspect send a request again after these errors too, as after an error of the server."""
    from inspect_ai.model import Model

    should_retry = Model.should_retry

    def retries(model: Model, error: BaseException) -> bool:
        return should_retry(model, error) or is_temporary(error)

    Model.should_retry = retries  # type: ignore[method-assign, assignment]


@cache
def end_programs_within(seconds: float) -> None:
    """Have Inspect wait only so long for the end of a program that it started inside a sandbox.

    Code in the sandbox can stop Inspect's server there, which then never answers. Inspect waits ten minutes
    for it, and no limit of the attempt ends that wait. The program ends with the sandbox in any case.
    """
    import anyio

    module: Any = import_module(REMOTE_PROGRAMS)
    kill = module.ExecRemoteProcess.kill

    async def kill_within(process: Any) -> None:
        with anyio.move_on_after(seconds):
            await kill(process)

    module.ExecRemoteProcess.kill = kill_within


@cache
def call_many_tools_in_turn() -> None:
    """Have Inspect work through an answer with very many tool calls one by one, until one of them fails.

    Calls at the same time cost Inspect time that grows with the square of their number, and meanwhile no
    other attempt goes on.
    """
    module: Any = import_module(TOOL_CALLS)
    tools_that_stop = module._fail_fast_tools

    def tools_in_turn(message: Any) -> set[str]:
        calls = message.tool_calls or []
        many = {call.function for call in calls} if len(calls) > MOST_CALLS_AT_ONCE else set()
        return {*tools_that_stop(message), *many}

    module._fail_fast_tools = tools_in_turn


@cache
def keep_first_tool_calls() -> None:
    """Have Inspect keep the first calls of an answer with very many, and no enormous arguments, and say so.

    Inspect copies all calls of a conversation for each request: 45,000 calls took 2 GiB and a minute, in
    which no other attempt went on. So did one call with 100,000 lists in its arguments.
    """
    from inspect_ai.model import Model, ModelCall, ModelOutput

    record: Any = Model._record_model_interaction

    def record_few(model: Model, *args: Any, **kwargs: Any) -> Any:
        complete, event = record(model, *args, **kwargs)

        def complete_few(result: ModelOutput | Exception, call: ModelCall | None) -> None:
            if isinstance(result, ModelOutput) and _keep_first_calls(result) and call is not None:
                call.response = {"assay": "this answer was too long to be kept"}
            complete(result, call)

        return complete_few, event

    Model._record_model_interaction = record_few  # type: ignore[method-assign, assignment]


def _keep_first_calls(output: ModelOutput) -> bool:
    """Drop calls of an answer; True if there were too many."""
    is_cut = False
    for choice in output.choices:
        calls = choice.message.tool_calls or []
        if len(calls) > MOST_CALLS:
            is_cut = True
            choice.message.tool_calls = first_calls = calls[:MOST_CALLS]
            limit = f"only {MOST_CALLS - 1} of them were made"
            first_calls[-1].parse_error = f"your answer has {len(calls)} tool calls, and {limit}"
        for call in choice.message.tool_calls or []:
            if (problem := _too_large(call.arguments)) is not None:
                is_cut = True
                call.arguments, call.parse_error = {}, problem
    return is_cut


def _too_large(arguments: object) -> str | None:
    """Why the arguments of a tool call are not kept; None if they are."""
    waiting, items, characters = [arguments], 0, 0
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            characters += len(part)
            if characters > MOST_ARGUMENT_CHARACTERS:
                return f"the arguments have more than {MOST_ARGUMENT_CHARACTERS:,} characters"
        elif isinstance(part, dict | list):
            items += len(part)
            if items > MOST_ARGUMENT_ITEMS:
                return f"the arguments have more than {MOST_ARGUMENT_ITEMS:,} items in lists and objects"
            waiting += [*part, *part.values()] if isinstance(part, dict) else part
    return None


@cache
def drop_impossible_counts() -> None:
    """Have Inspect take counts of tokens that no answer can have for counts that the service did not state.

    Inspect adds up what a service says: negative counts would make the budget of an attempt grow. Where a
    count is no integer, Inspect raises an error, which would look like one of the attempt.
    """
    from inspect_ai.model import Model, ModelCall, ModelOutput

    record: Any = Model._record_model_interaction

    def record_possible(model: Model, *args: Any, **kwargs: Any) -> Any:
        _pass_over_unreadable_usage()
        complete, event = record(model, *args, **kwargs)

        def complete_possible(result: ModelOutput | Exception, call: ModelCall | None) -> None:
            if isinstance(result, ModelOutput) and result.usage is not None:
                result.usage = _possible_usage(result.usage)
                if not _is_possible(result.input_context_tokens):
                    result.input_context_tokens = None
            complete(result, call)

        return complete_possible, event

    Model._record_model_interaction = record_possible  # type: ignore[method-assign, assignment]


def _pass_over_unreadable_usage() -> None:
    """Have the providers that are imported by now take usage that they cannot read for not stated."""
    for module, name in USAGE_READERS:
        provider = sys.modules.get(module)
        reader = getattr(provider, name, None)
        if reader is not None and not hasattr(reader, "__wrapped__"):
            setattr(provider, name, _without_unreadable_usage(reader))


def _without_unreadable_usage(reader: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(reader)
    def read(answer: Any, *choices: Any) -> Any:
        try:
            return reader(answer, *choices)
        except Exception:
            # Without choices, the answer is the usage alone.
            return reader(answer.model_copy(update={"usage": None}), *choices) if choices else None

    return read


def _possible_usage(usage: ModelUsage) -> ModelUsage | None:
    """The usage without impossible counts; None if nothing is left to count."""
    stated = usage.model_dump(exclude_none=True)
    possible = {name: value for name, value in stated.items() if _is_possible(value)}
    if possible.keys().isdisjoint({"input_tokens", "output_tokens", "total_tokens"}):
        return None
    if "total_tokens" not in possible:
        possible["total_tokens"] = sum(possible.get(name, 0) for name in _PARTS_OF_TOTAL)
    return type(usage)(**possible)


def _is_possible(count: float | None) -> bool:
    return count is None or 0 <= count <= MOST_TOKENS


def _takes_long(pattern: str, text: str) -> bool:
    opening = re.match(r"<[\w-]+", pattern)
    return opening is not None and text.count(opening[0]) * len(text) > MOST_TAG_STEPS


def read_plain_arguments() -> None:
    """Have Inspect read the arguments of a tool call as JSON or as text, never as YAML.

    In YAML, a model can write bytes, which no log holds, wrong dates, which raise an error, and a few lines
    of aliases, which take hours to walk through. Python refuses to read very long integers; they stay text.
    """
    module: Any = import_module(TOOL_CALLS)
    module.json = SimpleNamespace(
        loads=partial(json.loads, parse_int=_integer_or_text),
        JSONDecoder=partial(json.JSONDecoder, parse_int=_integer_or_text),
        JSONDecodeError=json.JSONDecodeError,
    )
    module.yaml = SimpleNamespace(
        safe_load=_json_or_text, error=SimpleNamespace(YAMLError=json.JSONDecodeError)
    )


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text, parse_int=_integer_or_text)
    except json.JSONDecodeError:
        return text


def _integer_or_text(digits: str) -> int | str:
    return int(digits) if len(digits) < LONGEST_INTEGER else digits


def sample_so_far(state: TaskState) -> EvalSample:
    """The sample that is going on, as a log would have it if it ended now without a score."""
    from inspect_ai._eval.task.run import create_eval_sample
    from inspect_ai._util.working import sample_timing
    from inspect_ai.log._samples import sample_active

    active, timing = sample_active(), sample_timing()
    assert active is not None, "called outside of a sample"
    assert timing is not None, "a sample that runs has a clock"
    return create_eval_sample(
        start_time=timing.start_time,
        started_at=timing.start_datetime,
        sample=active.sample,
        state=state,
        scores={},
        error=None,
        limit=None,
        error_retries=[],
        time_limit=None,
    )


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"assay.inspect_private has no {name!r}")
    return getattr(import_module(NAMES[name].module), name)


def forget_models() -> None:
    """Let the next run make its models again: Inspect keeps them by name, with their address and key."""
    from inspect_ai.model._model import _models

    _models.clear()


async def close_models() -> None:
    """Close the connections of all models, which would stay open for long, and forget the models."""
    from inspect_ai.model._model import _models

    for model in _models.values():
        with contextlib.suppress(Exception):  # a client that cannot be closed has no more to lose
            await model.api.aclose()
    forget_models()
