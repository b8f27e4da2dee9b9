"""Lets public functions work where an event loop already runs: in a notebook, or called by a coroutine.

An interrupt in the calling thread stops the function as well. It does not end a function that waits in
compiled code: that stops when it returns to Python.
"""

from __future__ import annotations

import asyncio
import ctypes
import functools
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from importlib.util import find_spec
from typing import ParamSpec, TypeVar

from assay.errors import UsageError
from assay.inspect_private import leave_event_loops_alone

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

_LOOK_AGAIN_SECONDS = 0.5


def outside_event_loop(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Let a function start event loops of its own: where one already runs, it runs in a new thread."""

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        if not _loop_is_running():
            return function(*args, **kwargs)
        if _is_notebook():
            _prepare_inspect_for_notebook()
        return _call_in_thread(lambda: function(*args, **kwargs))

    return call


def _loop_is_running() -> bool:
    """Whether this thread runs an event loop.

    A function of its own, so that the caller does not go on inside `except`: every exception raised there
    would have this error as its context, and Inspect takes the innermost context for the cause.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _is_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and "IPKernelApp" in shell.config


def _prepare_inspect_for_notebook() -> None:
    """Check what Inspect needs in a notebook, and keep it from changing the event loops of the kernel.

    Inspect makes all event loops of a notebook nestable. Here it runs in a thread of its own, where loops do
    not nest.
    """
    if find_spec("ipywidgets") is None:
        raise UsageError(
            "ipywidgets is not installed, and Inspect needs it in a notebook",
            hint="pip install 'assay[notebook]'",
        )
    leave_event_loops_alone()


def _call_in_thread(function: Callable[[], Returned]) -> Returned:
    future: Future[Returned] = Future()
    thread = threading.Thread(target=_settle, args=(future, function), name="assay", daemon=True)
    thread.start()
    try:
        return future.result()
    except KeyboardInterrupt:
        _interrupt(thread)
        raise


def _settle(future: Future[Returned], function: Callable[[], Returned]) -> None:
    if _is_notebook():
        _drop_displays()
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)


def _drop_displays() -> None:
    """Drop what this thread displays: Inspect shows a banner and an empty box, whatever its settings are."""
    publisher = sys.modules["IPython"].get_ipython().display_pub
    if hasattr(publisher, "register_hook"):
        publisher.register_hook(lambda message: None)


def _interrupt(thread: threading.Thread) -> None:
    """Raise KeyboardInterrupt in the thread, and wait until its attempts have ended."""
    if thread.ident is not None and thread.is_alive():
        exception = ctypes.py_object(KeyboardInterrupt)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), exception)
    while thread.is_alive():
        _wake(thread)
        thread.join(_LOOK_AGAIN_SECONDS)


def _wake(thread: threading.Thread) -> None:
    """Wake the event loop of a thread: while it waits for events, it does not see the interrupt."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        loop = frame.f_locals.get("self")
        if isinstance(loop, asyncio.AbstractEventLoop):
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: None)
        frame = frame.f_back
