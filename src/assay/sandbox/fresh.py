"""A fresh sandbox for one command, and two of them in conversation."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.sandbox.bubblewrap.command import Side
from assay.sandbox.confinement import Confinement, Outcome
from assay.sandbox.docker.command import ContainedSide
from assay.sandbox.engine import find_engine
from assay.sandbox.harvest import check_patterns
from assay.sandbox.pump import Pump
from assay.sandbox.relay import Relay
from assay.sandbox.supervision import Stop, in_thread


async def run_confined(
    confinement: Confinement,
    command: Sequence[str],
    *,
    input: bytes = b"",
    collect: Sequence[str] = (),
    into: Path | None = None,
) -> Outcome:
    """Run one command in a sandbox of its own.

    `collect` names files below the workspace, by path or pattern; they are read after every process
    of the sandbox is dead. With `into` they are written into that folder and not held in memory.
    """
    _check(command, collect)
    return await in_thread(lambda stop: _run(confinement, command, input, (collect, into), stop))


async def converse(
    trusted: Confinement,
    trusted_command: Sequence[str],
    untrusted: Confinement,
    untrusted_command: Sequence[str],
    *,
    collect: Sequence[str],
    fresh: bytes | None = None,
) -> tuple[Outcome, Outcome]:
    """Join two sandboxes, each one's output to the other's input, until the trusted one ends.

    Then the untrusted one is killed and files are collected from the trusted one. What each says is
    kept up to its limit of output, and handed on whole. When the trusted command writes the bytes of `fresh`,
    a new untrusted sandbox takes the place of the old one. The second outcome is that of the first untrusted
    sandbox that exceeded a limit, else of the last one.
    """
    _check(trusted_command, collect)
    _check(untrusted_command, ())
    return await in_thread(
        lambda stop: _converse(
            (trusted, trusted_command), (untrusted, untrusted_command), collect, fresh, stop
        )
    )


def _check(command: Sequence[str], collect: Sequence[str]) -> None:
    if not command:
        raise UsageError("the command is empty: expected a program and its arguments")
    check_patterns(collect)


def _side(confinement: Confinement, command: Sequence[str], collect: Sequence[str]) -> Side | ContainedSide:
    if confinement.hosts:
        raise UsageError("a fresh sandbox reaches no host", hint="a `Box` does: grading has no network")
    if find_engine().kind == "docker":
        return ContainedSide(confinement, command)
    return Side(confinement, command, collects=bool(collect))


def _run(
    confinement: Confinement,
    command: Sequence[str],
    input: bytes,
    wanted: tuple[Sequence[str], Path | None],
    stop: Stop,
) -> Outcome:
    collect, into = wanted
    side = _side(confinement, command, collect)
    try:
        side.begin()
        pump = Pump(wall_seconds=side.limits.wall_seconds)
        pump.keep(side.said)
        pump.keep(side.errors)
        pump.feed(side.sink(input))
        pump.watch(side.watch)
        pump.watch(stop.watch)
        return side.outcome(pump.run(side.done), collect, into=into)
    finally:
        side.release()


def _converse(
    trusted: tuple[Confinement, Sequence[str]],
    untrusted: tuple[Confinement, Sequence[str]],
    collect: Sequence[str],
    fresh: bytes | None,
    stop: Stop,
) -> tuple[Outcome, Outcome]:
    with contextlib.ExitStack() as stack:
        first = _side(*trusted, collect)
        stack.callback(first.release)
        pump = Pump(wall_seconds=first.limits.wall_seconds)
        first.begin()
        relay = Relay(pump, first, lambda: _side(*untrusted, ()), fresh)
        stack.callback(relay.end)
        relay.begin()
        pump.watch(first.watch)
        pump.watch(stop.watch)
        exceeded = pump.run(first.done)
        outcome = first.outcome(exceeded, collect)
        relay.end()
        assert relay.outcome is not None
        return outcome, relay.outcome
