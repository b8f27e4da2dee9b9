"""Whether the service of the model still answers: a run whose service is gone ends instead of hanging."""

from __future__ import annotations

import time

from assay.errors import AssayError
from assay.run_context import run_context


class ServiceGone(AssayError):
    """The model's service stopped answering; the attempt was not made and can be made later."""


class ServiceWatch:
    """What a run knows about the service of its model, in this process."""

    def __init__(self) -> None:
        self.patience = 0.0
        """How long requests are repeated."""
        self._answered: float | None = None
        self._failing_since: float | None = None
        self._gone: str | None = None

    def reset(self, patience: float) -> None:
        """Begin with a service that is believed to answer."""
        self.patience, self._answered, self._failing_since, self._gone = patience, None, None, None

    def answered(self) -> None:
        """Note an answer: the failures before it were temporary."""
        self._answered, self._failing_since = time.monotonic(), None

    def failed(self) -> None:
        """Note a request that failed and will be sent again."""
        if self._failing_since is None:
            self._failing_since = time.monotonic()

    def failing_seconds(self) -> float:
        """How long every request has failed by now."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    def give_up(self, reason: str) -> None:
        """Note that one request was given up; if no other was answered meanwhile, the service is gone."""
        if self._answered is None or time.monotonic() - self._answered >= self.patience:
            self._gone = reason

    def check(self) -> None:
        """Refuse to begin an attempt whose model cannot answer."""
        if self._gone is not None:
            raise ServiceGone(
                f"model service: given up after an earlier attempt: {self._gone}",
                hint="the same command makes the attempts that are missing",
            )


def service_watch() -> ServiceWatch:
    """What the run that is going on knows about its service."""
    return run_context().part(ServiceWatch)
