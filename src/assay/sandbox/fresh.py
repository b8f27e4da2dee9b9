"""Runs one command in a fresh sandbox, or joins two fresh sandboxes."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.sandbox.bubblewrap.command import BubblewrapCommand
from assay.sandbox.confined_command import ConfinedCommand
from assay.sandbox.confinement import Confinement, Outcome
from assay.sandbox.docker.command import DockerCommand
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
    target_folder: Path | None = None,
) -> Outcome:
    """Run one command in its own sandbox.

    `collect` names files below the workspace, by path or pattern; Assay reads them after every process
    of the sandbox is dead. With `target_folder` it writes them into that folder instead of memory.
    """
    _check_command(command, collect)
    return await in_thread(lambda stop: _run(confinement, command, input, (collect, target_folder), stop))


async def converse(
    trusted: Confinement,
    trusted_command: Sequence[str],
    untrusted: Confinement,
    untrusted_command: Sequence[str],
    *,
    collect: Sequence[str],
    restart_token: bytes | None = None,
) -> tuple[Outcome, Outcome]:
    """Join two sandboxes, each one's output to the other's input, until the trusted one ends.

    Then Assay kills the untrusted one and collects files from the trusted one. It forwards all output, and
    keeps output up to each sandbox's limit. When the trusted command writes the bytes of `restart_token`,
    a new untrusted sandbox replaces the old one. The second outcome belongs to the first untrusted
    sandbox that exceeded a limit, else to the last one.
    """
    _check_command(trusted_command, collect)
    _check_command(untrusted_command, ())
    return await in_thread(
        lambda stop: _converse(
            (trusted, trusted_command), (untrusted, untrusted_command), collect, restart_token, stop
        )
    )


def _check_command(command: Sequence[str], collect: Sequence[str]) -> None:
    if not command:
        raise UsageError("the command is empty: expected a program and its arguments")
    check_patterns(collect)


def _start_command(
    confinement: Confinement, command: Sequence[str], collect: Sequence[str]
) -> ConfinedCommand:
    if confinement.hosts:
        raise UsageError("a fresh sandbox has no network", hint="use a `Box`: only a `Box` can reach hosts")
    if find_engine().kind == "docker":
        return DockerCommand(confinement, command)
    return BubblewrapCommand(confinement, command, collects=bool(collect))


def _run(
    confinement: Confinement,
    command: Sequence[str],
    input: bytes,
    collection: tuple[Sequence[str], Path | None],
    stop: Stop,
) -> Outcome:
    collect, target_folder = collection
    confined = _start_command(confinement, command, collect)
    try:
        confined.begin()
        pump = Pump(wall_seconds=confined.limits.wall_seconds)
        pump.capture(confined.stdout)
        pump.capture(confined.stderr)
        pump.feed(confined.sink(input))
        pump.add_limit_check(confined.watch)
        pump.add_limit_check(stop.watch)
        return confined.outcome(pump.run(confined.end_descriptor), collect, target_folder=target_folder)
    finally:
        confined.release()


def _converse(
    trusted: tuple[Confinement, Sequence[str]],
    untrusted: tuple[Confinement, Sequence[str]],
    collect: Sequence[str],
    restart_token: bytes | None,
    stop: Stop,
) -> tuple[Outcome, Outcome]:
    with contextlib.ExitStack() as stack:
        trusted_command = _start_command(*trusted, collect)
        stack.callback(trusted_command.release)
        pump = Pump(wall_seconds=trusted_command.limits.wall_seconds)
        relay = Relay(pump, trusted_command, lambda: _start_command(*untrusted, ()), restart_token)
        stack.callback(relay.end_server)
        relay.start_server()  # first: a container starts slowly, and the trusted command measures answers
        trusted_command.begin()
        relay.connect_trusted()
        pump.add_limit_check(trusted_command.watch)
        pump.add_limit_check(stop.watch)
        exceeded = pump.run(trusted_command.end_descriptor)
        outcome = trusted_command.outcome(exceeded, collect)
        relay.end_server()
        assert relay.outcome is not None
        return outcome, relay.outcome
