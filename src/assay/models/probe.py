"""One tiny question to a model's service, with a time limit: does it answer, and if not, why?"""

from __future__ import annotations

import queue
import re
import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

PROBE = "Reply with OK."
"""The question. A scripted server answers it by itself, so that it uses up no line of a script."""
ANSWER_TOKENS = 16
"""The least that every service accepts as the longest answer."""

REFUSALS = (400, 413, 422)
"""HTTP statuses of a service that refuses a request for its content: it will refuse the same one later."""

ProbeState = Literal["answers", "busy", "refuses", "fails"]


@dataclass(frozen=True)
class ProbeResult:
    """What came back from a service."""

    state: ProbeState
    """`busy`: it limits requests just now; `refuses`: it answers, but not this request."""
    seconds: float
    reason: str = ""
    fix: str = ""


def probe_model(model: str, *, base_url: str | None = None, seconds: float = 60.0) -> ProbeResult:
    """Ask a model for one short answer, in a thread of its own: the caller may be inside an event loop."""
    results: queue.Queue[ProbeResult] = queue.Queue()

    def work() -> None:
        import asyncio

        results.put(asyncio.run(_ask(model, base_url, seconds)))

    # A daemon thread: Ctrl-C ends the wait at once, however long the service takes.
    threading.Thread(target=work, daemon=True).start()
    while True:
        try:
            return results.get(timeout=0.2)
        except queue.Empty:
            continue


async def _ask(model: str, base_url: str | None, seconds: float) -> ProbeResult:
    import anyio
    from inspect_ai.model import GenerateConfig, get_model

    start = time.monotonic()
    config = GenerateConfig(max_tokens=ANSWER_TOKENS, max_retries=0)
    try:
        with anyio.fail_after(seconds):
            async with get_model(model, base_url=base_url, memoize=False) as client:
                await client.generate(PROBE, config=config)
    except TimeoutError:
        reason = f"no answer within {seconds:g} s"
        return ProbeResult("fails", time.monotonic() - start, reason, "check the network and the address")
    except Exception as error:
        return _explain(error, time.monotonic() - start)
    return ProbeResult("answers", time.monotonic() - start)


def _explain(error: BaseException, seconds: float) -> ProbeResult:
    """A failed call in words, with what fixes it."""
    cause = root_cause(error)
    status, text = getattr(cause, "status_code", None), one_line(cause)
    if status in (401, 403):
        return ProbeResult(
            "fails", seconds, f"it refuses the key (HTTP {status}): {text}", "set a valid API key"
        )
    if status == 404:
        fix = "check the model's name and --base-url"
        return ProbeResult(
            "fails", seconds, f"it does not know the model or the address (HTTP 404): {text}", fix
        )
    if status == 429 and "quota" in text.lower():
        return ProbeResult("fails", seconds, f"the quota is used up (HTTP 429): {text}", "add credit")
    if status == 429:
        return ProbeResult("busy", seconds, f"it limits requests just now (HTTP 429): {text}")
    if status in REFUSALS:
        return ProbeResult("refuses", seconds, f"it refused the test question (HTTP {status}): {text}")
    if status is not None:
        fix = "try again later, or skip this check with --no-preflight"
        return ProbeResult("fails", seconds, f"it fails (HTTP {status}): {text}", fix)
    fix = "check the network, a proxy and --base-url"
    return ProbeResult("fails", seconds, f"it cannot be reached: {text}", fix)


def root_cause(error: BaseException) -> BaseException:
    """The error that a client met first, below retries and wrappers; one with an HTTP status if there is."""
    from tenacity import RetryError

    inner: BaseException | None = error
    while inner is not None:
        if getattr(inner, "status_code", None) is not None:
            return inner
        below = inner.last_attempt.exception() if isinstance(inner, RetryError) else inner.__cause__
        if below is None:
            return inner
        inner = below
    return error


def one_line(error: Any, longest: int = 200) -> str:
    """An error's text without line breaks, cut where it is long."""
    text = re.sub(r"\s+", " ", str(error)).strip() or type(error).__name__
    return text if len(text) <= longest else text[: longest - 1] + "…"
