"""A whole review: drafts of `assay curate`, a person's change, and the certificate of the changed task."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assay.curation import CurationOptions, curate
from assay.reviewing import ReviewRequest, open_review
from assay.reviewing.opening import find_review
from tests.curation.made_up import write_paper, write_repository
from tests.reviewing.servers import review_server

MOST_SECONDS = 3600


@pytest.mark.long
def test_a_changed_task_is_certified_in_the_background_and_published_with_its_review(tmp_path: Path) -> None:
    write_paper(tmp_path)
    repository = write_repository(tmp_path)
    folder = tmp_path / "curated"
    curate(CurationOptions(tmp_path / "paper", str(repository), folder, seconds=30.0, last_stage="drafts"))
    fields = open_review(find_review(ReviewRequest(folder)), ()).fields
    with review_server(folder, "ann", options=("--reviewers", "1")) as server:
        client = server.client("ann")
        for (task, field), entry in fields.items():
            change = (
                {"choice": "edit", "value": "Errors of estimators"}
                if field == "title"
                else {"choice": "accept"}
            )
            form = {"task": task, "field": field, "seen_digest": entry.digest, **change}
            assert client.post("/decide", data=form).status_code == 200
        deadline = time.monotonic() + MOST_SECONDS
        while "Running for" in client.get("/status").text:
            assert time.monotonic() < deadline
            time.sleep(2)
        assert "Finished." in client.get("/status").text
        assert '<td data-label="Certificate">certified</td>' in client.get("/").text
    card = (folder / "suite" / "README.md").read_text()
    assert f"by one person: {len(fields)} of {len(fields)} fields" in card
    (instruction,) = (folder / "suite").glob("*/instruction.md")
    assert "Errors of estimators" in instruction.read_text()
