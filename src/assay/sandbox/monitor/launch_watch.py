"""Records the programs of a fresh sandbox, with their arguments, from before its first process starts.

The filter of `program_watch` is loaded outside, before bubblewrap starts, so no process inside has to
cooperate, and no language is left out: a program that starts is reported by the kernel. Threads and functions
inside one program are not programs.

Where the watch is impossible (Docker, no libseccomp, a kernel that refuses), the observations say why.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from assay.sandbox.engine import find_engine
from assay.sandbox.host.system import base_python_of
from assay.sandbox.monitor import program_watch
from assay.sandbox.monitor.observations import Observations, complete_lines, read_observations

_STARTER = Path(__file__).with_name("watched_start.py")
_RESIDENT_FOLDER = Path(__file__).parents[1] / "session"
_PROBE_SECONDS = 20.0


class LaunchWatch:
    """The log of one fresh sandbox, and the words that start it under the watch."""

    def __init__(self) -> None:
        self._why = why_unwatched()
        self._log = os.memfd_create("assay-programs", os.MFD_CLOEXEC) if self._why is None else -1

    @property
    def prefix(self) -> list[str]:
        """What stands before the command line of the sandbox."""
        return [] if self._why is not None else _starting_words(self._log)

    @property
    def descriptors(self) -> list[int]:
        """What the starter inherits."""
        return [] if self._why is not None else [program_watch.control_descriptor(), self._log]

    def read(self, command: Sequence[str]) -> Observations:
        """The programs that started after `command`, which is the first one of the run."""
        if self._why is not None:
            return Observations(why=self._why)
        log = os.pread(self._log, os.fstat(self._log).st_size, 0)
        reasons = [str(line["unwatched"]) for line in complete_lines(log) if "unwatched" in line]
        if reasons:
            return Observations(why=reasons[0])
        program_watch.check_listener()
        observed = read_observations(log)
        places = [
            place for place, program in enumerate(observed.programs) if _is_same(program.words, command)
        ]
        if not places:
            return Observations(why="the first program of the run was not seen")
        return replace(observed, programs=observed.programs[places[0] + 1 :], connections=())

    def close(self) -> None:
        """Close the log."""
        if self._log >= 0:
            os.close(self._log)
            self._log = -1


def _is_same(words: Sequence[str], command: Sequence[str]) -> bool:
    """Whether words are those of a command, as far as the log has them."""
    return [word[: program_watch.LONGEST_WORD] for word in command] == list(words)


def _starting_words(log: int) -> list[str]:
    program = program_watch.notification_filter(program_watch.PROGRAM_CALLS)
    assert program is not None
    return [
        *(str(base_python_of(None).program), "-I", "-S", str(_STARTER), str(_RESIDENT_FOLDER)),
        *(str(program_watch.control_descriptor()), str(log)),
        *(str(program_watch.call_number("seccomp")), program.hex()),
    ]


def why_unwatched() -> str | None:
    """Why the programs of a fresh sandbox cannot be seen here, or None."""
    if os.environ.get(program_watch.SWITCH) == "off":
        return f"disabled by {program_watch.SWITCH}"
    engine = find_engine()
    if engine.kind == "docker":
        return "Docker starts the programs"
    if program_watch.notification_filter(program_watch.PROGRAM_CALLS) is None:
        return "libseccomp is not installed"
    if os.geteuid() != 0 and engine.program.stat().st_mode & stat.S_ISUID:
        return "bubblewrap is a setuid program, which cannot start under a filter"
    return _why_probe_fails(os.getpid(), str(engine.program))


@cache
def _why_probe_fails(_: int, bubblewrap: str) -> str | None:
    """Try it once: under some security modules bubblewrap does not start with a filter."""
    log = os.memfd_create("assay-probe", os.MFD_CLOEXEC)
    try:
        probe = subprocess.run(
            [*_starting_words(log), bubblewrap, "--unshare-user", "--ro-bind", "/", "/", "/bin/true"],
            pass_fds=[program_watch.control_descriptor(), log],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
        lines = list(complete_lines(os.pread(log, os.fstat(log).st_size, 0)))
    except subprocess.TimeoutExpired:
        return "a sandbox does not start under the watch"
    finally:
        os.close(log)
    refusals = [str(line["unwatched"]) for line in lines if "unwatched" in line]
    if refusals or probe.returncode != 0:
        return refusals[0] if refusals else "a sandbox does not start under the watch"
    return None if any("program" in line for line in lines) else "no program was seen in a test"
