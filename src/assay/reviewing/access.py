"""Who may use the page: this machine only, with a token, from the page itself.

The server listens on 127.0.0.1. A request must name that address as its host, so that another site cannot
reach the page under a name of its own. The token in the address becomes a cookie that scripts cannot read and
that requests from other sites do not carry; a change also needs a second secret that only the page contains.

What it does not cover: other programs of the same user, which can read the files of the review themselves.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Assay review</title>'
    '<link rel="icon" href="/static/icon.svg">'
)
_ENTER = f'{_HEAD}<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the review</a></p>'


@dataclass(frozen=True)
class AccessRules:
    """The tokens of a server, one for each reviewer."""

    port: int
    reviewers: Sequence[str]
    tokens: dict[str, str] = field(default_factory=dict)
    """Reviewer → token."""

    @staticmethod
    def make(port: int, reviewers: Sequence[str]) -> AccessRules:
        """Draw a token for each reviewer."""
        return AccessRules(port, reviewers, {name: secrets.token_urlsafe(32) for name in reviewers})

    def address(self, reviewer: str) -> str:
        """The address that a reviewer opens."""
        return f"http://127.0.0.1:{self.port}/?token={self.tokens[reviewer]}"

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers do not keep cookies of different ports apart."""
        return f"assay-review-{self.port}"

    def holder(self, token: str) -> str | None:
        """Return the reviewer with a token."""
        matching = [
            name
            for name, own_token in self.tokens.items()
            if hmac.compare_digest(own_token.encode(), token.encode())
        ]
        return matching[0] if matching else None

    def form_secret(self, reviewer: str) -> str:
        """The secret that the page sends with each change."""
        return hashlib.sha256(f"form:{self.tokens[reviewer]}".encode()).hexdigest()

    def knows_host(self, host: str) -> bool:
        """Whether a request was meant for this server."""
        return host in (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def knows_origin(self, headers: Headers) -> bool:
        """Whether a change comes from the page, as far as the browser says where it comes from."""
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "same-origin")
        own_origins = (f"http://127.0.0.1:{self.port}", f"http://localhost:{self.port}")
        return site in ("same-origin", "none") and (origin is None or origin in own_origins)


class AccessGuard:
    """Refuses requests that may not use the page, and adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *extra]
            await send(message)

        request = Request(scope)
        refusal = self._refusal(request)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        rules = self._rules
        if not rules.knows_host(request.headers.get("host", "")):
            return _message(421, "This server answers only requests to 127.0.0.1.")
        if request.url.path.startswith("/static/"):
            return None
        token = request.query_params.get("token")
        if token is not None:
            reviewer = rules.holder(token)
            if reviewer is None:
                return _message(403, "This token is old. Open the address that `assay review` printed last.")
            return self._enter(token)
        reviewer = rules.holder(request.cookies.get(rules.cookie, ""))
        if reviewer is None:
            return _message(403, "Open the address with the token that `assay review` printed.")
        if request.method not in ("GET", "HEAD"):
            secret = request.headers.get("x-assay-form", "")
            allowed = hmac.compare_digest(secret.encode(), rules.form_secret(reviewer).encode())
            if not (allowed and rules.knows_origin(request.headers)):
                return _message(403, "This change did not come from the page of this server.")
        request.scope["reviewer"] = reviewer
        return None

    def _enter(self, token: str) -> Response:
        """Turn the token into a cookie; the page that follows comes from this site, so it gets the cookie."""
        response = HTMLResponse(_ENTER)
        response.set_cookie(self._rules.cookie, token, httponly=True, samesite="strict", path="/")
        return response


def _message(status: int, text: str) -> Response:
    return HTMLResponse(f"{_HEAD}<p>{text}</p>", status_code=status)
