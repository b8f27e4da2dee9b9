"""Who caused the failure of a model request: the model's service, or what the attempt asked for.

An attempt whose service failed is made again. An agent decides what its requests contain, so it must not get
another attempt by a request that fails for its content: too large, flagged, or not valid.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.util import LimitExceededError
from tenacity import RetryError

from assay.models.probe import root_cause
from assay.run_context import run_context

CLIENT_MODULES = (
    "openai",
    "anthropic",
    "httpx",
    "httpcore",
    "aiohttp",
    "google",
    "botocore",
    "mistralai",
    "groq",
)
"""Libraries whose own errors are about the connection or the service."""
ENVELOPE_READERS = ("chat_choices_from_openai",)
"""Functions of Inspect that take an answer out of what the service sent around it."""
MODEL_MODULES = (*CLIENT_MODULES, "inspect_ai.model")
TEMPORARY = (401, 408, 409, 425, 429)
"""Client errors that may have another cause than the content of the request."""
ANSWER_SECONDS = 120
"""How long the service may take to answer a request that is sent to find the cause."""
CANCELLED = "model call cancelled"
"""What Inspect writes into the event of a request that nobody waits for any more."""
AGAIN_SECONDS = 2.0
"""Seconds between two control requests at the end of an attempt."""
LONGEST_PATIENCE = 1800.0
"""How long control requests are repeated after an attempt that had several requests open at once, or one for
most of its time. The service may still compute answers that nobody waits for any more, and refuse all other
requests until then."""
MOST_RESENT = 6
"""Requests of an attempt that are sent again to find the cause."""
MOST_DIGESTS = 100_000
"""Messages of a run whose digests are kept."""
REQUEST_WRITERS = ("_build_request", "build_request", "encode_request", "encode_json", "openapi_dumps")
"""Functions of model clients that write a request before it is sent."""

ONCE = {"max_retries": 0, "attempt_timeout": ANSWER_SECONDS}
"""Settings of a request that is sent to find the cause."""

Resend = Callable[[Mapping[str, int]], Awaitable[ModelOutput]]
"""Sends a request that failed once more, with some settings changed."""


@dataclass(frozen=True)
class FailedRequest:
    """A request without an answer, and the model that it was for: an attempt may use several services."""

    send: Resend
    model: Model


async def is_request_at_fault(
    error: BaseException | None, unanswered: Sequence[FailedRequest], patience: float
) -> bool:
    """Whether the service fails for requests of this attempt only: it answers another one, now or soon.

    A failure that may pass (too many requests, an error of the server, no answer) counts only if one of the
    requests without an answer fails again while the service answers another one before and after it. A
    request can keep the service from answering others for some seconds: one that is too large for the tokens
    of a minute, or one that makes it start again.
    """
    seconds = min(patience, ANSWER_SECONDS)
    if not await answers_again([unanswered[0].model if unanswered else get_model()], seconds):
        return False
    if error is not None and _is_content_at_fault(error):
        return True
    for request in unanswered:
        try:
            await request.send(ONCE)
        except LimitExceededError:
            raise
        except Exception:
            return await answers_again([request.model], seconds)
    return False


def unanswered_requests() -> list[FailedRequest]:
    """Return the requests of this attempt that failed or got no answer: first those that the service refused.

    An agent may send good requests after the one that fails, so the last one is not enough.
    """
    events = _model_events()
    failed = [event for event in reversed(events) if event.error is not None or event.pending]
    if not failed:
        return []
    digests = run_context().part(MessageDigests)
    answered = {_content(event, digests) for event in events if event.error is None and not event.pending}
    failed.sort(key=lambda event: CANCELLED in (event.error or CANCELLED))
    # Requests with the same content fail alike, and a program may send one of them again and again.
    distinct: dict[str, ModelEvent] = {}
    for event in failed:
        distinct.setdefault(_content(event, digests), event)
    missing = [event for content, event in distinct.items() if content not in answered]
    return [_failed_request(event) for event in missing[:MOST_RESENT]]


def _model_events() -> list[ModelEvent]:
    """The requests of this attempt, answered or not, in their order."""
    return [event for event in transcript().events if event.event == "model"]


class MessageDigests:
    """Digests of messages by their ids: a program may send the same large message a thousand times."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, message: ChatMessage) -> str:
        """The digest of all that a service sees of a message."""
        key = f"{message.id} {len(message.text)}"  # an agent may cut a message and keep its id
        if message.id is not None and key in self._known:
            return self._known[key]
        content = str(message.model_dump(exclude={"id", "metadata"}))
        digest = sha256(content.encode(errors="surrogatepass")).hexdigest()
        if message.id is not None and len(self._known) < MOST_DIGESTS:
            self._known[key] = digest
        return digest


def _content(event: ModelEvent, digests: MessageDigests) -> str:
    """A digest of all that a service may refuse: it may answer messages, and refuse them with a tool."""
    messages = [digests.of(message) for message in event.input]
    parts = str((event.model, messages, event.tools, event.tool_choice, event.config))
    return sha256(parts.encode(errors="surrogatepass")).hexdigest()


def _failed_request(event: ModelEvent) -> FailedRequest:
    model = get_model(role=event.role) if event.role else get_model()
    if str(model) != event.model:
        model = get_model(event.model)

    async def send(changes: Mapping[str, int]) -> ModelOutput:
        config = event.config.model_copy(update=changes)
        return await model.generate(event.input, event.tools, event.tool_choice, config)

    return FailedRequest(send, model)


def fails_for_good(error: BaseException) -> bool:
    """Whether a request failed for what it contains or for what the model answered, not by its service."""
    return not fails_in_model(error) or _is_content_at_fault(error)


def _is_content_at_fault(error: BaseException) -> bool:
    return _is_refused(error) or is_answer_at_fault(error)


def _is_refused(error: BaseException | None) -> bool:
    """Whether the service refuses a request for good: it will refuse the same one later."""
    status = _status(error)
    return status is not None and 400 <= status < 500 and status not in TEMPORARY


async def answers_another(model: Model) -> bool:
    """Whether the service answers a request that has nothing of the attempt."""
    return await _failure_of_another(model) is None


async def answers_again(models: Sequence[Model], patience: float) -> bool:
    """Whether all these services answer, now that no request of the attempt is left, or soon."""
    waiting = list(models)
    with anyio.move_on_after(patience):
        while True:
            failures = {model: await _failure_of_another(model) for model in waiting}
            waiting = [model for model, failure in failures.items() if failure is not None]
            if not waiting:
                return True
            if any(_is_refused(failure) for failure in failures.values()):
                return False
            await anyio.sleep(AGAIN_SECONDS)
    return False


async def _failure_of_another(model: Model) -> Exception | None:
    """How a request fails that has nothing of the attempt; None if the service answers it."""
    try:
        await model.generate("Say yes.", config=GenerateConfig(max_tokens=16).model_copy(update=ONCE))
    except LimitExceededError:
        raise
    except Exception as error:
        return error
    return None


def patience_after(seconds: float, *, is_silent: bool = False) -> float:
    """How long the service may take to answer again, after an attempt that waited for it so long.

    An attempt that has several requests open at once can be the reason why the service refuses others. So can
    one large request, to which the service says nothing yet.
    """
    now = datetime.now(UTC)
    since = now - timedelta(seconds=seconds)
    spans = [
        (event.timestamp, event.completed or now)
        for event in _model_events()
        if (event.completed or now) >= since
    ]
    spans.sort()
    is_crowded = any(end > start for (_, end), (start, _) in pairwise(spans))
    return LONGEST_PATIENCE if is_crowded or is_silent else ANSWER_SECONDS


def silent_seconds() -> float:
    """How long a request of this attempt has been open, with no answer to any other since it was sent."""
    events = _model_events()
    sent = [event.timestamp for event in events if event.pending or CANCELLED in (event.error or "")]
    answers = [event.completed for event in events if event.error is None and event.completed is not None]
    if not sent:
        return 0.0
    return (datetime.now(UTC) - max([min(sent), *answers])).total_seconds()


def _status(error: BaseException | None) -> int | None:
    """The HTTP status of a failure, None if the service sent none."""
    while error is not None and getattr(error, "status_code", None) is None:
        error = error.last_attempt.exception() if isinstance(error, RetryError) else error.__cause__
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def is_answer_at_fault(error: BaseException) -> bool:
    """Whether a plain Python error came after the service answered: what the model wrote could not be read.

    The answer belongs to the attempt: a number of 5,000 digits in a tool call must not give another attempt.
    """
    cause = root_cause(error)
    if isinstance(cause, OSError | EOFError | RetryError) or _status(error) is not None:
        return False
    return not type(cause).__module__.startswith(CLIENT_MODULES) and not is_body_unreadable(error)


def is_body_unreadable(error: BaseException) -> bool:
    """Whether the service sent something that is not an answer: cut off, empty, or without any choice.

    The model does not write that part of an answer. The error must come from where a client reads the whole
    body, because a model can write text that is not JSON into the answer itself.
    """
    cause = root_cause(error)
    frames = (frame for frame, _ in traceback.walk_tb(cause.__traceback__))
    readers = [frame for frame in frames if not frame.f_globals["__name__"].startswith("json")]
    if not readers:
        return False
    if isinstance(cause, TypeError):
        return readers[-1].f_code.co_name in ENVELOPE_READERS
    is_damaged = isinstance(cause, json.JSONDecodeError | UnicodeDecodeError)
    return is_damaged and readers[-1].f_globals["__name__"].startswith(CLIENT_MODULES)


def cannot_be_sent(error: BaseException) -> bool:
    """Whether a client could not even write the request: then the service has not seen it.

    A program decides what its requests hold, so it must not get another attempt by one that no client writes.
    """
    cause = root_cause(error)
    if isinstance(cause, UnicodeEncodeError):
        return True
    functions = {frame.name for frame in traceback.extract_tb(cause.__traceback__)}
    is_own = isinstance(cause, ValueError | TypeError | OverflowError | RecursionError)
    return is_own and not functions.isdisjoint(REQUEST_WRITERS)


def fails_in_model(error: BaseException) -> bool:
    """Whether an error came out of a model provider's own client, at once or after its last retry."""
    if cannot_be_sent(error):
        return False
    module = type(error).__module__
    if module.startswith(MODEL_MODULES) or any(
        "inspect_ai/model/_providers" in frame.filename for frame in traceback.extract_tb(error.__traceback__)
    ):
        return True
    inner = error.last_attempt.exception() if isinstance(error, RetryError) else error.__cause__
    return inner is not None and fails_in_model(inner)
