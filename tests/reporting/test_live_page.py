"""The page of a running evaluation in a real Chromium: it shows the state and loads itself again."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from assay.evaluation.progress_file import RunningAttempt, RunProgress
from assay.reporting.live_page import write_live_page
from tests.reporting.test_browser import browser

__all__ = ["browser"]

pytestmark = pytest.mark.browser

SHOWN = """
const rows = (place) => [...document.querySelectorAll(`${place} tbody tr`)]
    .map((row) => [...row.children].map((cell) => cell.innerText));
return [document.querySelector("main").innerText, rows("#nodes"), rows("#failures")];
"""
"""All at once: the page loads itself again, and elements that were found before are then gone."""
HOSTILE = "<img src=x onerror=document.title='taken'>"


def progress(finished: int, *, ended: bool = False) -> RunProgress:
    """A run of two nodes; one of them makes an attempt at a task with a hostile name."""
    running = [RunningAttempt(node="n2", agent="react", task=HOSTILE, since=1000.0)]
    return RunProgress(
        engine="slurm",
        started=900.0,
        updated=1020.0,
        ended=ended,
        total=40,
        done_before=10,
        finished=finished,
        outcomes={"passed": finished - 1, "failed": 1},
        owners={"agent": 1},
        nodes={"n1": finished},
        tokens=31_400,
        cost=2.5,
        running=[] if ended else running,
    )


def test_the_page_follows_the_run_to_its_end(browser: webdriver.Chrome, tmp_path: Path) -> None:
    place = write_live_page(progress(6), tmp_path)
    browser.get(place.as_uri())
    text, nodes, outcomes = browser.execute_script(SHOWN)
    for part in (
        "16 of 40 attempts",
        "about 8 min 00 s left",
        "3.0 attempts a minute; 31.4k tokens; $2.50 spent",
        f"react on {HOSTILE}, 20 s",
    ):
        assert part in text
    assert nodes[0] == ["n1", "6", "3.0", "0", ""]
    assert nodes[1][:4] == ["n2", "0", "0.0", "1"]
    assert outcomes == [["failed", "1"], ["passed", "5"], ["agent", "1"]]

    write_live_page(progress(30, ended=True), tmp_path)
    WebDriverWait(browser, 60).until(lambda _: browser.title == "Assay: 40 of 40 attempts")
    assert "The run on slurm has ended." in browser.find_element(By.ID, "state").text
    assert not browser.find_elements(By.CSS_SELECTOR, 'meta[http-equiv="refresh"]')
    assert browser.get_log("browser") == []
