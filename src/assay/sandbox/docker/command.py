"""The same side as `Side`, in a Docker container.

Every process but the resident one, which nothing inside can kill or trace, is dead before files are
read.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from assay.sandbox.bubblewrap.command import harvest_from
from assay.sandbox.bubblewrap.layout import variables_of
from assay.sandbox.confinement import WORKSPACE, Confinement, Outcome
from assay.sandbox.host.descriptors import Descriptors
from assay.sandbox.pump import Sink, Stream
from assay.sandbox.session.session_thread import Keeper
from assay.sandbox.supervision import exceeded_limit

_ANSWER_SECONDS = 30.0
_NOT_RUNNABLE, _NOT_FOUND = 126, 127


class ContainedSide:
    """A command in a fresh container."""

    def __init__(self, confinement: Confinement, command: Sequence[str]) -> None:
        self.limits = confinement.limits
        self._keeper = Keeper(confinement)
        self._keeper.start()
        self._program = command[0]
        try:
            self._start(confinement, command)
        except BaseException:
            self._keeper.stop()
            raise

    def _start(self, confinement: Confinement, command: Sequence[str]) -> None:
        with Descriptors() as descriptors:
            stdin, self._feed = descriptors.pipe()
            out, stdout = descriptors.pipe()
            err, stderr = descriptors.pipe()
            request = {
                "do": "exec",
                "command": list(command),
                "cwd": WORKSPACE,
                "variables": variables_of(confinement),
                "cpu_seconds": self.limits.cpu_seconds,
            }
            self._errand = self._keeper.resident.ask(request, [stdin, stdout, stderr])
            self.said = Stream(descriptors.keep(out), self.limits.output_bytes)
            self.errors = Stream(descriptors.keep(err), self.limits.output_bytes)
            descriptors.keep(self._feed)
        self._began = time.monotonic()

    @property
    def done(self) -> int:
        """A descriptor that can be read once the command has ended."""
        return self._errand.fileno()

    def begin(self) -> None:
        """The command runs already."""

    def watch(self) -> str | None:
        """Docker tells of no limit while a command runs."""
        return None

    def sink(self, data: bytes = b"", *, last: bool = True) -> Sink:
        """The way to the command's input."""
        return Sink(self._feed, data, last=last)

    def outcome(
        self,
        exceeded: str | None,
        collect: Sequence[str],
        *,
        killed: bool = False,
        into: Path | None = None,
    ) -> Outcome:
        """Kill everything, then read what it said and wrote."""
        seconds = time.monotonic() - self._began
        if killed or exceeded is not None:
            self._errand.kill()
        report, _ = self._errand.hear(seconds=_ANSWER_SECONDS)
        with self._keeper.resident.ask({"do": "quiet"}) as errand:
            errand.hear(seconds=_ANSWER_SECONDS)
        for stream in (self.said, self.errors):
            stream.drain()
        returncode = self._returncode(report)
        harvest = harvest_from(self._keeper.launched, self.limits, collect, into)
        return Outcome(
            returncode=returncode,
            stdout=bytes(self.said.kept),
            stderr=bytes(self.errors.kept),
            seconds=seconds,
            timed_out=exceeded == "wall",
            truncated=self.said.overflowed or self.errors.overflowed,
            exceeded=exceeded or exceeded_limit(self._keeper.launched, returncode),
            files=harvest.files,
            refused=harvest.refused,
            saved=harvest.saved,
        )

    def _returncode(self, report: dict[str, int]) -> int:
        if "ended" in report:
            code = report["ended"]
            return 128 - code if code < 0 else code
        missing = report["error"] == 2
        self.errors.kept += f"{self._program}: {'not found' if missing else 'cannot be run'}\n".encode()
        return _NOT_FOUND if missing else _NOT_RUNNABLE

    def release(self) -> None:
        """Remove the container."""
        self._errand.__exit__()
        for stream in (self.said, self.errors):
            stream.close()
        self._keeper.stop()
