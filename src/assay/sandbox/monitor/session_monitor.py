"""All observers of one session's sandbox: the program watch, its canaries, its proxy."""

from __future__ import annotations

from dataclasses import replace

from assay.sandbox.confinement import Confinement
from assay.sandbox.monitor.canary_watch import CanaryWatch
from assay.sandbox.monitor.observations import Observations
from assay.sandbox.monitor.program_watch import ProgramWatch, start_program_watch
from assay.sandbox.proxy.process import ProxyProcess
from assay.sandbox.session.resident_client import ResidentClient


class SessionMonitor:
    """Observes one sandbox from its start; its observations stay readable after the sandbox ends."""

    def __init__(self, confinement: Confinement) -> None:
        self._canary_watch = CanaryWatch([mount for mount in confinement.mounts if mount.canary])
        plain = tuple(mount for mount in confinement.mounts if not mount.canary)
        self.confinement = replace(confinement, mounts=(*plain, *self._canary_watch.mounts))
        """The confinement, with its own copies of canaries."""
        self._program_watch: ProgramWatch | str = "the watch was not requested"
        self._proxy: ProxyProcess | None = None
        self._final_observations: Observations | None = None

    def begin(self, resident: ResidentClient) -> None:
        """Observe everything that starts inside from now on."""
        if self.confinement.hosts:
            self._proxy = ProxyProcess(resident, self.confinement.hosts)
        if self.confinement.watch:
            self._program_watch = start_program_watch(resident)

    def read(self) -> Observations:
        """Return the observations until now, or until the sandbox's end."""
        if self._final_observations is not None:
            return self._final_observations
        observations = (
            Observations(by=None, why=self._program_watch)
            if isinstance(self._program_watch, str)
            else self._program_watch.read()
        )
        requests = self._proxy.read() if self._proxy is not None else ()
        note = "; canaries could not be watched" if self._canary_watch.blind else ""
        return replace(
            observations, why=observations.why + note, opened=self._canary_watch.read(), requests=requests
        )

    def check(self) -> None:
        """Raise if a process of the harness that commands depend on has failed."""
        if isinstance(self._program_watch, ProgramWatch):
            self._program_watch.check()
        if self._proxy is not None:
            self._proxy.check()

    def close(self) -> None:
        """Stop observing, and keep the last observations."""
        if self._final_observations is None:
            self._final_observations = self.read()
            self._canary_watch.close()
            if isinstance(self._program_watch, ProgramWatch):
                self._program_watch.close()
            if self._proxy is not None:
                self._proxy.close()
