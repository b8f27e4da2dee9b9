"""How much memory of the GPU a build or a server takes, read from outside its sandbox while it runs.

Counted is what the first GPU has in use beyond what it had before, so nobody else may use that GPU
meanwhile. It is looked at every half second: a shorter peak is not seen, and nothing is stopped.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

from assay.grading.verdict import Verdict

QUERY = ["--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0", "--loop-ms=500"]
ITEM = "rule.gpu-memory"


class GpuWatch:
    """Looks at the GPU for as long as it is entered."""

    def __init__(self, limit_mb: int | None) -> None:
        self.limit_mb = limit_mb
        self.before_mb: float | None = None
        self.peak_mb = 0.0
        """Beyond what was in use before."""
        self._process: subprocess.Popen[str] | None = None
        self._looked = threading.Event()

    def __enter__(self) -> GpuWatch:
        program = shutil.which("nvidia-smi")
        if self.limit_mb is not None and program is not None:
            self._process = subprocess.Popen(
                [program, *QUERY], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            self._reader = threading.Thread(target=self._read, daemon=True)
            self._reader.start()
            # What is in use before is known before anything is run.
            self._looked.wait(timeout=30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._reader.join()

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with suppress(ValueError):
                used = float(line)
                self.before_mb = used if self.before_mb is None else self.before_mb
                self.peak_mb = max(self.peak_mb, used - self.before_mb)
                self._looked.set()
        self._looked.set()


def judge(watches: Sequence[GpuWatch]) -> list[Verdict]:
    """One verdict over all that has a limit; none where nothing has."""
    limited = [(watch, watch.limit_mb) for watch in watches if watch.limit_mb is not None]
    if not limited:
        return []
    if any(watch.before_mb is None for watch, _ in limited):
        evidence = "nvidia-smi tells no memory here, so the limit was not watched"
        return [Verdict(item=ITEM, status="unknown", owner="sandbox", evidence=evidence)]
    peaks = ", ".join(f"{watch.peak_mb:.0f} MB of {limit} MB" for watch, limit in limited)
    evidence = f"peak {peaks}, looked at every half second"
    if any(watch.peak_mb > limit for watch, limit in limited):
        return [Verdict(item=ITEM, status="unmet", owner="agent", evidence=evidence)]
    return [Verdict(item=ITEM, status="met", evidence=evidence)]
