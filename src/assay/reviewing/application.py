"""The review page over HTTP: addresses, forms, and what follows a decision."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from assay.curation.reviewed import REVIEW_FILE
from assay.errors import AssayError, ReviewConflict, ReviewUnwritten
from assay.files import publish
from assay.reviewing.access import AccessGuard, AccessRules
from assay.reviewing.certification import CertificationRun
from assay.reviewing.measures import summarise
from assay.reviewing.pages import (
    FormState,
    field_address,
    field_page,
    next_open,
    overview_page,
    templates,
)
from assay.reviewing.review import Review
from assay.tasks.review_items import Choice, FieldKey, digest_of

SUMMARY = Path(REVIEW_FILE).name
MOST_BODY = 20_000_000
_CHOICES: dict[str, Choice] = {"accept": "accept", "edit": "edit", "reject": "reject"}
Handler = Callable[[Request], Awaitable[Response]]


def make_application(review: Review, rules: AccessRules, run: CertificationRun) -> Starlette:
    """Make the application of a review."""
    pages = _Pages(review, rules, run)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if run.is_interrupted:
            await run.start()
        yield
        await run.stop()

    static = Path(str(files("assay.reviewing") / "static"))
    return Starlette(
        routes=[
            Route("/", pages.overview),
            Route("/field", pages.field),
            Route("/status", pages.status),
            Route("/decide", pages.answered(pages.decide), methods=["POST"]),
            Route("/settle", pages.answered(pages.settle), methods=["POST"]),
            Route("/undo", pages.answered(pages.undo), methods=["POST"]),
            Route("/certify", pages.certify, methods=["POST"]),
            Route("/active", pages.active, methods=["POST"]),
            Route("/static/report.css", _report_style),
            Mount("/static", StaticFiles(directory=static)),
        ],
        middleware=[Middleware(AccessGuard, rules=rules)],
        lifespan=lifespan,
    )


class _Pages:
    """The handlers; all of them run in one event loop, so changes happen one after the other."""

    def __init__(self, review: Review, rules: AccessRules, run: CertificationRun) -> None:
        self._review = review
        self._rules = rules
        self._run = run

    async def overview(self, request: Request) -> Response:
        reviewer = _reviewer(request)
        return self._page("overview.html", reviewer, overview_page(self._review, reviewer, self._run))

    async def field(self, request: Request) -> Response:
        key = (request.query_params.get("task", ""), request.query_params.get("field", ""))
        if key not in self._review.fields:
            message = {"message": "There is no such field.", "hint": "Go back to the list of tasks."}
            return self._page("message.html", _reviewer(request), message, 404)
        self._review.look(_reviewer(request), *key)
        return self._field(_reviewer(request), key, FormState())

    async def status(self, request: Request) -> Response:
        context = {"certification": self._run.status()}
        return HTMLResponse(templates().get_template("certification.html").render(context))

    async def active(self, request: Request) -> Response:
        form = await _form(request)
        with contextlib.suppress(ReviewConflict):
            self._review.look(_reviewer(request), form.get("task", ""), form.get("field", ""), continued=True)
        return Response(status_code=204)

    async def certify(self, request: Request) -> Response:
        await self._start_run()
        return await self.status(request)

    async def decide(self, reviewer: str, form: dict[str, str]) -> Response:
        key, arguments = self._decision(form)
        self._review.decide(reviewer, key, **arguments)
        return await self._go_on(reviewer, key)

    async def settle(self, reviewer: str, form: dict[str, str]) -> Response:
        key, arguments = self._decision(form)
        self._review.settle(reviewer, key, **arguments)
        return await self._go_on(reviewer, key)

    async def undo(self, reviewer: str, form: dict[str, str]) -> Response:
        key = self._review.undo(reviewer)
        await self._certify_finished()
        address = field_address(key) if key in self._review.fields else "/"
        return RedirectResponse(address, status_code=303)

    def answered(self, action: Callable[[str, dict[str, str]], Awaitable[Response]]) -> Handler:
        """Return a handler that shows a refused decision on the page of its field, with what was typed."""

        async def handle(request: Request) -> Response:
            reviewer, form = _reviewer(request), await _form(request)
            try:
                return await action(reviewer, form)
            except AssayError as error:
                is_recorded = isinstance(error, ReviewUnwritten)
                message = error.message if is_recorded else f"Not saved: {error.message}"
                state = _typed(form, f"{message[0].upper()}{message[1:]}.", error.hint or "")
            except OSError as error:
                state = _typed(form, f"Not saved: {error}.", "free space on the disk and send the form again")
            key = (form.get("task", ""), form.get("field", ""))
            if key in self._review.fields:
                return self._field(reviewer, key, state, 409)
            context = {"message": state.message, "hint": state.hint}
            return self._page("message.html", reviewer, context, 409)

        return handle

    def _decision(self, form: dict[str, str]) -> tuple[FieldKey, dict[str, Any]]:
        key = (form.get("task", ""), form.get("field", ""))
        choice = _CHOICES.get(form.get("choice", ""))
        if choice is None:
            raise ReviewConflict(
                "the form names no choice, or it is too long", hint="accept, edit or reject the field"
            )
        value, before = form.get("value", ""), self._review.field(*key).value
        if "\r\n" not in before:
            value = value.replace("\r\n", "\n")
        return key, {
            "seen_digest": form.get("seen_digest", ""),
            "choice": choice,
            "value": value,
            "reason": form.get("reason", "").strip(),
        }

    async def _go_on(self, reviewer: str, key: FieldKey) -> Response:
        await self._certify_finished()
        following = next_open(self._review, reviewer, key)
        return RedirectResponse(field_address(following) if following else "/", status_code=303)

    async def _certify_finished(self) -> None:
        """Prove the tasks again if a changed one is finished, and this state was not proved yet."""
        outcomes = self._review.outcomes()
        changed = {task for (task, _), outcome in outcomes.items() if outcome.choice != "accept"}
        finished = [
            task.id
            for task in self._review.tasks
            if task.id in changed and all((task.id, entry.id) in outcomes for entry in task.fields)
        ]
        if finished and not self._run.proves(digest_of(self._review.source.read())):
            await self._start_run()

    async def _start_run(self) -> None:
        """Start the run; what it publishes states how far the review was."""
        publish(self._review.folder / SUMMARY, summarise(self._review).model_dump_json(indent=2) + "\n")
        await self._run.start()

    def _field(self, reviewer: str, key: FieldKey, form: FormState, status: int = 200) -> Response:
        context = field_page(self._review, reviewer, key, self._run, form)
        return self._page("field.html", reviewer, context, status)

    def _page(self, template: str, reviewer: str, context: dict[str, Any], status: int = 200) -> Response:
        secret = self._rules.form_secret(reviewer)
        text = (
            templates()
            .get_template(template)
            .render({"reviewer": reviewer, **context, "form_secret": secret})
        )
        return HTMLResponse(text, status_code=status)


async def _report_style(request: Request) -> Response:
    """The report's own style, so that both pages look alike."""
    style = files("assay.reporting") / "templates" / "style.css"
    return Response(style.read_text("utf-8"), media_type="text/css")


def _reviewer(request: Request) -> str:
    return str(request.scope["reviewer"])


def _typed(form: dict[str, str], message: str, hint: str) -> FormState:
    """Return a refused form, with what the reviewer typed."""
    texts = {name: form.get(name, "") for name in ("choice", "value", "reason")}
    return FormState(message, f"{hint[:1].upper()}{hint[1:]}.", **texts)


async def _form(request: Request) -> dict[str, str]:
    """Read the fields of a form; one that is too long has none."""
    body = bytearray()
    async for chunk in request.stream():
        if len(body) <= MOST_BODY:
            body += chunk
    if len(body) > MOST_BODY:
        return {}
    fields = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
    return {name: values[-1] for name, values in fields.items()}
