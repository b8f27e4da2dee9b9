"""Everything that looks at one resident sandbox from outside: the watch, its canaries, its proxy."""

from __future__ import annotations

from dataclasses import replace

from assay.sandbox.confinement import Confinement
from assay.sandbox.monitor.canary_watch import Openings
from assay.sandbox.monitor.observations import Watched
from assay.sandbox.monitor.program_watch import Watch, begin_watch
from assay.sandbox.proxy.process import Outward
from assay.sandbox.session.resident_client import Resident


class Lookout:
    """Begins with its sandbox, and can be asked after it too."""

    def __init__(self, confinement: Confinement) -> None:
        self._openings = Openings([mount for mount in confinement.mounts if mount.canary])
        plain = tuple(mount for mount in confinement.mounts if not mount.canary)
        self.confinement = replace(confinement, mounts=(*plain, *self._openings.mounts))
        """The sandbox with canaries of its own."""
        self._watch: Watch | str = "it was not asked for"
        self._outward: Outward | None = None
        self._last: Watched | None = None

    def begin(self, resident: Resident) -> None:
        """Look at everything that starts inside from now on."""
        if self.confinement.hosts:
            self._outward = Outward(resident, self.confinement.hosts)
        if self.confinement.watch:
            self._watch = begin_watch(resident)

    def read(self) -> Watched:
        """What was seen until now, or until the end."""
        if self._last is not None:
            return self._last
        seen = Watched(by=None, why=self._watch) if isinstance(self._watch, str) else self._watch.read()
        requests = self._outward.read() if self._outward is not None else ()
        blind = "; canaries could not be watched" if self._openings.blind else ""
        return replace(seen, why=seen.why + blind, opened=self._openings.read(), requests=requests)

    def check(self) -> None:
        """Raise where something of ours broke that commands stand on."""
        if isinstance(self._watch, Watch):
            self._watch.check()
        if self._outward is not None:
            self._outward.check()

    def close(self) -> None:
        """Look no more; what was seen is kept."""
        if self._last is None:
            self._last = self.read()
            self._openings.close()
            if isinstance(self._watch, Watch):
                self._watch.close()
            if self._outward is not None:
                self._outward.close()
