"""The review page over real HTTP: who may use it, two reviewers, hostile text, kills, certification."""

from __future__ import annotations

import fcntl
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.curation.reviewed import read_review
from assay.errors import UsageError
from assay.reviewing.opening import ReviewRequest, find_review, open_review, review_lock
from assay.reviewing.review import Review
from tests.reviewing.servers import ReviewServer, children_of, is_alive, review_server, wait_until
from tests.reviewing.small_curation import FIELDS, HOSTILE, TASK, draft, drafts_of, write_curation

OTHER_TASK = "robust-means-tab-2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drafts = [draft(), draft(OTHER_TASK, HOSTILE)]
    drafts[1]["design"][0]["name"] = HOSTILE
    long_line = "x" * 1_000_000
    return write_curation(tmp_path_factory.mktemp("page"), drafts, paper_text=f"{HOSTILE} {long_line}")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ReviewServer]:
    with review_server(folder, "ann", "bob") as running:
        yield running


def _fields(folder: Path) -> Review:
    return open_review(find_review(ReviewRequest(folder)), ())


def _send(client: httpx.Client, folder: Path, action: str, field: str, **values: str) -> httpx.Response:
    digest = _fields(folder).field(TASK, field).digest
    return client.post(action, data={"task": TASK, "field": field, "seen_digest": digest, **values})


def _page(client: httpx.Client, field: str, task: str = TASK) -> str:
    return client.get("/field", params={"task": task, "field": field}).text


def test_a_token_becomes_a_strict_cookie_and_nothing_is_shown_without_it(server: ReviewServer) -> None:
    assert httpx.get(f"{server.root}/", timeout=60).status_code == 403
    assert httpx.get(f"{server.root}/?token=wrong", timeout=60).status_code == 403
    entered = httpx.get(server.addresses["ann"], timeout=60)
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "token" not in httpx.get(server.addresses["ann"], timeout=60).text
    policy = entered.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_every_page_names_its_icon(server: ReviewServer) -> None:
    """A browser asks for /favicon.ico where a page names no icon, and reports that it is missing."""
    answers = [
        httpx.get(f"{server.root}/", timeout=60),
        httpx.get(server.addresses["ann"], timeout=60),
        server.client("ann").get("/"),
    ]
    assert ['rel="icon"' in answer.text for answer in answers] == [True, True, True]


def test_requests_of_other_sites_are_refused(server: ReviewServer, folder: Path) -> None:
    client = server.client("ann")
    before = (folder / "review" / "trails" / "ann.jsonl").read_bytes()
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    rebound = {"Host": f"evil.example:{server.port}"}
    assert client.get("/static/htmx.min.js", headers=rebound).status_code == 421
    foreign = {"Origin": "https://evil.example"}
    for headers in ({"X-Assay-Form": ""}, foreign, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post("/undo", headers=headers).status_code == 403
    assert (folder / "review" / "trails" / "ann.jsonl").read_bytes() == before
    assert client.get("/decide").status_code == 405


def test_the_server_listens_on_this_machine_only(server: ReviewServer) -> None:
    with socket.socket() as other_address:
        assert other_address.connect_ex(("127.0.0.2", server.port)) != 0


def test_two_reviewers_decide_alone_see_their_difference_and_settle_it(
    server: ReviewServer, folder: Path
) -> None:
    ann, bob = server.client("ann"), server.client("bob")
    assert "Median" in _page(ann, "number:median.error")

    _send(ann, folder, "/decide", "question", choice="edit", value="How wrong is each estimator?")
    for page in (_page(bob, "question"), bob.get("/").text):
        assert "How wrong is each estimator?" not in page
        assert "edited" not in page
    assert drafts_of(folder)[0]["question"]["value"] == "How large is the error?"

    answer = _send(bob, folder, "/decide", "question", choice="reject", reason="it gives too little")
    assert answer.status_code == 200
    assert "Both decisions" in _page(ann, "question")
    assert "it gives too little" in _page(ann, "question")
    assert "Decisions that differ" in ann.get("/").text

    _send(ann, folder, "/settle", "question", choice="edit", value="How wrong is each estimator?")
    assert drafts_of(folder)[0]["question"]["value"] == "How wrong is each estimator?"
    summary = json.loads(CliRunner().invoke(app, ["review", str(folder), "--json"]).stdout)
    assert summary["agreement"][-1]["same_decisions"]["of"] == 1
    assert summary["reviewers"] == ["ann", "bob"]


def test_a_refused_form_comes_back_with_what_was_typed(server: ReviewServer, folder: Path) -> None:
    ann = server.client("ann")
    refused = _send(ann, folder, "/decide", "variable:SIZE", choice="edit", value='{"name": "SIZE", <broken')
    assert refused.status_code == 409
    assert "Not saved" in refused.text
    assert "{&#34;name&#34;: &#34;SIZE&#34;, &lt;broken" in refused.text
    assert "&#34;role&#34;, one of &#34;independent&#34;, &#34;dependent&#34; and" in refused.text
    assert refused.text.count('role="alert"><b>') == 1
    assert _send(ann, folder, "/decide", "title", choice="burn").status_code == 409
    answer = ann.post("/decide", data={"task": "none", "field": "none", "choice": "accept"})
    assert (answer.status_code, "has no field" in answer.text) == (409, True)
    assert ann.get("/field?task=none&field=none").status_code == 404


def test_hostile_text_is_shown_as_text_and_a_long_line_is_cut(server: ReviewServer) -> None:
    ann = server.client("ann")
    for page in (ann.get("/").text, _page(ann, "title", OTHER_TASK), _page(ann, "method")):
        assert "<script>document" not in page
        assert "<img" not in page
        assert "<b hx-get" not in page
        assert 'href="javascript:' not in page
        assert len(page) < 300_000
    page = _page(ann, "title", OTHER_TASK)
    assert "⟨U+202E⟩gnp.exe⟨U+202C⟩" in page
    assert "characters are not shown" in _page(ann, "method")


@pytest.mark.long
def test_a_killed_server_loses_nothing_and_its_certification_ends_and_continues(tmp_path: Path) -> None:
    folder = write_curation(tmp_path)
    with (folder / ".lock").open("w") as lock:
        # The background command waits for this lock, as it would for another `assay curate`.
        fcntl.flock(lock, fcntl.LOCK_EX)
        with review_server(folder, "ann", options=("--reviewers", "1")) as server:
            client = server.client("ann")
            for field in FIELDS[1:]:
                assert _send(client, folder, "/decide", field, choice="accept").status_code == 200
            assert "Nothing has changed" in client.get("/status").text
            _send(client, folder, "/decide", "title", choice="edit", value="A better title")
            assert "Running for" in client.get("/status").text
            (child,) = children_of(server.process.pid)
            server.kill()
            wait_until(lambda: not is_alive(child))

        assert drafts_of(folder)[0]["title"]["value"] == "A better title"
        assert assay.review_summary(folder).final == len(FIELDS)
        record = read_review(folder)
        assert record is not None
        assert record.in_words().startswith("by one person: 8 of 8 fields (7 accept, 1 edit, 0 reject)")
        with review_server(folder, "ann") as server:
            client = server.client("ann")
            assert "Running for" in client.get("/status").text
            fcntl.flock(lock, fcntl.LOCK_UN)
            wait_until(lambda: "ended with an error" in client.get("/status").text)
            assert "licence" in client.get("/status").text
            assert "Running for" in client.post("/certify").text
            (child,) = children_of(server.process.pid)
            server.stop()
            assert not is_alive(child)


def test_a_second_server_a_used_port_and_another_folder_are_one_clear_line(
    tmp_path: Path,
) -> None:
    folder = write_curation(tmp_path)
    with review_lock(folder / "review"), pytest.raises(UsageError, match="another `assay review` serves"):
        assay.review(folder, reviewers=["ann"], port=0)
    with socket.socket() as blocked:
        blocked.bind(("127.0.0.1", 0))
        blocked.listen()
        with pytest.raises(UsageError, match="another program uses it") as error:
            assay.review(folder, reviewers=["ann"], port=blocked.getsockname()[1])
        assert "--port" in str(error.value.hint)
    with pytest.raises(UsageError, match=r"has no 6-drafts.json, expected a folder of `assay curate`"):
        assay.review(tmp_path / "robust-means", reviewers=["ann"])
    (folder / "6-drafts.json").unlink()
    with pytest.raises(UsageError, match="no tasks were drafted yet"):
        assay.review_summary(folder)
    with pytest.raises(UsageError, match="does not exist"):
        assay.review_summary(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="has no annotations to review"):
        assay.review_summary(tmp_path / "new", benchmark="demo")


def test_without_the_extra_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)  # as if it were not installed
    with pytest.raises(UsageError, match="the review page needs uvicorn") as raised:
        assay.review(tmp_path, reviewers=["ann"])
    assert raised.value.hint == "pip install 'assay[review]'"
