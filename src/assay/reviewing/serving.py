"""Serves the page of a review on 127.0.0.1 until an interrupt."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from contextlib import ExitStack

from assay.errors import UsageError
from assay.installed import is_installed
from assay.reviewing.opening import ReviewRequest, find_review, open_review, review_lock
from assay.tasks.review_items import digest_of

PORT = 7576
NEEDED_PACKAGES = ("starlette", "uvicorn")


def serve(
    request: ReviewRequest,
    port: int,
    on_ready: Callable[[dict[str, str]], None],
    report: Callable[[str], None],
) -> None:
    """Serve a review; `on_ready` receives the address of each reviewer once the port is open."""
    _require_packages()
    if not request.reviewers:
        raise UsageError("no reviewer is named", hint="name one with --reviewer")
    place = find_review(request)
    with ExitStack() as stack:
        stack.enter_context(review_lock(place.folder))
        review = open_review(place, request.reviewers, report)
        listener = stack.enter_context(_listen(port))
        import uvicorn

        from assay.reviewing.access import AccessRules
        from assay.reviewing.application import make_application
        from assay.reviewing.certification import CertificationRun

        rules = AccessRules.make(listener.getsockname()[1], request.reviewers)
        command = place.source.certification()
        run = CertificationRun(place.folder, command, lambda: digest_of(place.source.read()))
        config = uvicorn.Config(
            make_application(review, rules, run),
            log_level="warning",
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        on_ready({name: rules.address(name) for name in request.reviewers})
        uvicorn.Server(config).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
    except (OSError, OverflowError) as error:
        listener.close()
        in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        reason = "another program uses it" if in_use else str(error)
        raise UsageError(
            f"port {port} cannot be opened: {reason}", hint="choose another with --port; 0 takes a free one"
        ) from None
    return listener


def _require_packages() -> None:
    missing = [name for name in NEEDED_PACKAGES if not is_installed(name)]
    if missing:
        raise UsageError(f"the review page needs {' and '.join(missing)}", hint="pip install 'assay[review]'")
