"""A fresh sandbox for one command, and two of them in conversation."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence

from assay.errors import SandboxError, UsageError
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Limits, Outcome
from assay.sandbox.engine import find_engine
from assay.sandbox.harvest import Harvest, check_patterns
from assay.sandbox.launch import Launched, complaint, launch
from assay.sandbox.layout import PRISTINE, disk_bytes
from assay.sandbox.pump import Pump, Sink, Stream
from assay.sandbox.supervision import Stop, cpu_watch, exceeded_limit, in_thread

_GATE = 'echo && read -r _ && exec "$@"'
"""Says that the sandbox stands, waits for leave, and becomes the command."""
_COPYING_GATE = f"cp -a {PRISTINE}/. {WORKSPACE}/ && {_GATE}"


async def run_confined(
    confinement: Confinement, command: Sequence[str], *, input: bytes = b"", collect: Sequence[str] = ()
) -> Outcome:
    """Run one command in a sandbox of its own.

    `collect` names files below the workspace, by path or pattern; they are read after every process
    of the sandbox is dead.
    """
    _check(command, collect)
    return await in_thread(lambda stop: _run(confinement, command, input, collect, stop))


async def converse(
    trusted: Confinement,
    trusted_command: Sequence[str],
    untrusted: Confinement,
    untrusted_command: Sequence[str],
    *,
    collect: Sequence[str],
) -> tuple[Outcome, Outcome]:
    """Join two sandboxes, each one's output to the other's input, until the trusted one ends.

    Then the untrusted one is killed and files are collected from the trusted one. What each says is
    kept up to its limit of output, and handed on whole.
    """
    _check(trusted_command, collect)
    _check(untrusted_command, ())
    return await in_thread(
        lambda stop: _converse((trusted, trusted_command), (untrusted, untrusted_command), collect, stop)
    )


def _check(command: Sequence[str], collect: Sequence[str]) -> None:
    if not command:
        raise UsageError("the command is empty: expected a program and its arguments")
    check_patterns(collect)


def _run(
    confinement: Confinement, command: Sequence[str], input: bytes, collect: Sequence[str], stop: Stop
) -> Outcome:
    launched = launch(confinement, _gated(confinement, command))
    try:
        _await_gate(launched)
        began = time.monotonic()
        limits = confinement.limits
        pump = Pump(wall_seconds=limits.wall_seconds)
        stdout, stderr = (
            Stream(launched.stdout, limits.output_bytes),
            Stream(launched.stderr, limits.output_bytes),
        )
        pump.keep(stdout)
        pump.keep(stderr)
        pump.feed(_sink(launched, input))
        pump.watch(cpu_watch(launched.group, limits))
        pump.watch(stop.watch)
        exceeded = pump.run(launched.ended)
        return _outcome(launched, limits, (stdout, stderr), exceeded, began, collect)
    finally:
        launched.release()


def _converse(
    trusted: tuple[Confinement, Sequence[str]],
    untrusted: tuple[Confinement, Sequence[str]],
    collect: Sequence[str],
    stop: Stop,
) -> tuple[Outcome, Outcome]:
    with contextlib.ExitStack() as stack:
        pair = []
        for confinement, command in (trusted, untrusted):
            pair.append(launch(confinement, _gated(confinement, command)))
            stack.callback(pair[-1].release)
        for launched in pair:
            _await_gate(launched)
        began = time.monotonic()
        limits = [trusted[0].limits, untrusted[0].limits]
        pump = Pump(wall_seconds=limits[0].wall_seconds)
        said = [Stream(one.stdout, limit.output_bytes) for one, limit in zip(pair, limits, strict=True)]
        errors = [Stream(one.stderr, limit.output_bytes) for one, limit in zip(pair, limits, strict=True)]
        heard = [_sink(one, b"", last=False) for one in pair]
        for index, other in ((0, 1), (1, 0)):
            pump.feed(heard[index])
            pump.splice(said[index], heard[other])
            pump.splice(errors[index], None)
            pump.watch(cpu_watch(pair[index].group, limits[index]))
        pump.watch(stop.watch)
        exceeded = pump.run(pair[0].ended)
        first = _outcome(pair[0], limits[0], (said[0], errors[0]), exceeded, began, collect)
        pair[1].kill()
        second = _outcome(pair[1], limits[1], (said[1], errors[1]), None, began, ())
        return first, second


def _gated(confinement: Confinement, command: Sequence[str]) -> list[str]:
    copies = confinement.workspace is not None and not find_engine().overlay
    return ["/bin/sh", "-c", _COPYING_GATE if copies else _GATE, "sh", *command]


def _await_gate(launched: Launched) -> None:
    """Until the gate speaks, everything that fails is the sandbox's failure and not the command's."""
    if os.read(launched.stdout, 1) != b"\n":
        raise SandboxError(
            f"the sandbox did not stand: {complaint(launched)}",
            hint="run `assay doctor` to see what is missing",
        )
    launched.open_workspace()


def _sink(launched: Launched, data: bytes, *, last: bool = True) -> Sink:
    sink = Sink(launched.stdin, b"\n" + data, last=last)
    launched.stdin = -1
    return sink


def _outcome(
    launched: Launched,
    limits: Limits,
    streams: tuple[Stream, Stream],
    exceeded: str | None,
    began: float,
    collect: Sequence[str],
) -> Outcome:
    """Kill what is left, then read what it said and wrote."""
    seconds = time.monotonic() - began
    killed = exceeded is not None
    if killed:
        launched.kill()
    returncode = launched.returncode()
    launched.kill()
    for stream in streams:
        stream.drain()
    harvest = Harvest(
        launched.workspace,
        file_bytes=limits.file_size_mb * MEBIBYTE,
        total_bytes=disk_bytes(limits),
    )
    harvest.collect(collect)
    return Outcome(
        returncode=returncode,
        stdout=bytes(streams[0].kept),
        stderr=bytes(streams[1].kept),
        seconds=seconds,
        timed_out=exceeded == "wall",
        truncated=any(stream.overflowed for stream in streams),
        exceeded=exceeded or exceeded_limit(launched, returncode),
        files=harvest.files,
        refused=harvest.refused,
    )
