"""The review page in a real Chromium: keyboard only, two reviewers, a kill while typing, hostile text."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.reporting.test_browser import FLAGS, _axe
from tests.reviewing.servers import ReviewServer, review_server
from tests.reviewing.small_curation import FIELDS, HOSTILE, TASK, draft, drafts_of, write_curation

pytestmark = pytest.mark.browser
PATIENCE = 60
HOSTILE_TASK = "hostile"
SETTLED_TASK = "two-reviewers"
AXE = "axe.run({rules: {'skip-link': {enabled: false}}}).then(arguments[arguments.length - 1])"


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, place in programs.items() if place is None]
    if missing:
        reason = f"{' and '.join(missing)} not found; apt-get install chromium chromium-driver"
        if os.environ.get("ASSAY_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs["chromium"])
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(programs["chromedriver"])))
    driver.set_script_timeout(300)  # axe takes long on a busy machine
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hostile = draft(HOSTILE_TASK, HOSTILE)
    hostile["problems"] = [HOSTILE]
    drafts = [draft(), hostile, draft(SETTLED_TASK, "A title for two")]
    return write_curation(tmp_path_factory.mktemp("browser"), drafts, paper_text=HOSTILE)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ReviewServer]:
    with review_server(folder, "ann", "bob") as running:
        yield running


@pytest.fixture
def page(browser: webdriver.Chrome, server: ReviewServer) -> Iterator[webdriver.Chrome]:
    _enter(browser, server, "ann")
    yield browser
    assert browser.get_log("browser") == []


def _enter(browser: webdriver.Chrome, server: ReviewServer, reviewer: str) -> None:
    browser.get(server.addresses[reviewer])
    _wait(browser, lambda: f"{reviewer}, you have decided" in browser.page_source)
    _wait(browser, lambda: browser.execute_script("return document.documentElement.dataset.ready"))


def _wait(browser: webdriver.Chrome, condition: object) -> None:
    assert callable(condition)
    WebDriverWait(browser, PATIENCE, poll_frequency=0.05).until(lambda _: condition())


def _go(browser: webdriver.Chrome, server: ReviewServer, task: str, field: str) -> None:
    browser.get(f"{server.root}/field?{urlencode({'task': task, 'field': field})}")
    _wait(browser, lambda: _shown(browser) == (task, field))


def _shown(browser: webdriver.Chrome) -> tuple[str, str]:
    """The field of the page, once the page is ready for keys."""
    read = (
        "const field = document.querySelector('.field');"
        "const ready = document.documentElement.dataset.ready && field;"
        "return ready ? [field.dataset.task, field.dataset.field] : []"
    )
    values = browser.execute_script(read)
    return (values[0], values[1]) if values else ("", "")


def _press(browser: webdriver.Chrome, *keys: str) -> None:
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def _save(browser: webdriver.Chrome) -> None:
    browser.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)


def test_a_reviewer_works_with_the_keyboard_alone(
    page: webdriver.Chrome, server: ReviewServer, folder: Path
) -> None:
    _press(page, "n")
    _wait(page, lambda: _shown(page) == (TASK, "title"))
    _press(page, "a")
    _wait(page, lambda: _shown(page) == (TASK, "question"))
    _press(page, "r")
    _press(page, "The question gives too little.")
    _save(page)
    _wait(page, lambda: _shown(page) == (TASK, "method"))
    _press(page, "e")
    _press(page, Keys.END, " a and j are letters here")
    _save(page)
    _wait(page, lambda: _shown(page) == (TASK, FIELDS[3]))

    _press(page, "u")
    _wait(page, lambda: _shown(page) == (TASK, "method"))
    assert "open" in page.find_element(By.CSS_SELECTOR, ".status").text
    _press(page, "k")
    _wait(page, lambda: _shown(page) == (TASK, "question"))
    assert (
        "You decided: rejected: The question gives too little."
        in page.find_element(By.CLASS_NAME, "own").text
    )
    _press(page, "J")
    _wait(page, lambda: _shown(page) == (HOSTILE_TASK, "title"))
    _press(page, "?")
    _wait(page, lambda: page.find_element(By.ID, "shortcuts").get_attribute("open") is not None)
    assert "undo your last decision" in page.find_element(By.ID, "shortcuts").text
    _press(page, Keys.ESCAPE)
    _wait(page, lambda: page.find_element(By.ID, "shortcuts").get_attribute("open") is None)
    _press(page, "o")
    _wait(page, lambda: "ann, you have decided 2 of" in page.page_source)

    trail = (folder / "review" / "trails" / "ann.jsonl").read_text().splitlines()
    events = [(line["event"], line.get("choice")) for line in map(json.loads, trail)]
    assert [event for event in events if event[0] in ("decided", "undone")] == [
        ("decided", "accept"),
        ("decided", "reject"),
        ("decided", "edit"),
        ("undone", None),
    ]


def test_two_reviewers_see_their_difference_and_settle_it_with_a_key(
    page: webdriver.Chrome, server: ReviewServer, folder: Path
) -> None:
    _go(page, server, SETTLED_TASK, "title")
    _press(page, "e")
    _press(page, Keys.END, " people")
    _save(page)
    _wait(page, lambda: _shown(page) == (SETTLED_TASK, "question"))

    _enter(page, server, "bob")
    _go(page, server, SETTLED_TASK, "title")
    assert "A title for two people" not in page.page_source
    _press(page, "a")
    _wait(page, lambda: _shown(page) != (SETTLED_TASK, "title"))
    _go(page, server, SETTLED_TASK, "title")
    decisions = page.find_element(By.CLASS_NAME, "both").text
    assert "ann edited" in decisions
    assert "A title for two people" in decisions
    _press(page, "1")
    _wait(page, lambda: drafts_of(folder)[2]["title"]["value"] == "A title for two people")
    _wait(page, lambda: _shown(page) != (SETTLED_TASK, "title"))


def test_hostile_text_runs_nothing_and_stays_text(page: webdriver.Chrome, server: ReviewServer) -> None:
    for field in ("title", "problem:1"):
        _go(page, server, HOSTILE_TASK, field)
        assert page.title != "taken"
        main = page.find_element(By.TAG_NAME, "main")
        assert "<script>document.title = 'taken'</script>" in main.text
        assert "⟨U+202E⟩gnp.exe" in main.text
        assert (
            main.find_elements(By.CSS_SELECTOR, "img, script, [hx-trigger='load'], a[href^=javascript]") == []
        )


@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_axe_finds_nothing_to_fix(page: webdriver.Chrome, server: ReviewServer, theme: str) -> None:
    script = _axe()
    for place in ("overview", "field"):
        if place == "field":
            _go(page, server, TASK, "number:median.error")
            _press(page, "e")
        page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        page.execute_script(script)
        violations = page.execute_async_script(AXE)["violations"]
        texts = [f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:200]}" for rule in violations]
        assert texts == [], place


def test_a_phone_shows_the_page_without_sideways_scrolling(
    page: webdriver.Chrome, server: ReviewServer
) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        _go(page, server, TASK, "number:median.error")
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        field = page.find_element(By.CSS_SELECTOR, ".actions .accept")
        paper = page.find_element(By.CSS_SELECTOR, ".paper")
        assert field.rect["y"] < paper.rect["y"]
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.long
def test_text_that_was_typed_survives_a_kill_of_the_server_and_of_the_page(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    folder = write_curation(tmp_path)
    with review_server(folder, "eve", options=("--reviewers", "1")) as server:
        _enter(browser, server, "eve")
        _go(browser, server, TASK, "title")
        _press(browser, "e")
        _press(browser, Keys.END, " typed before the kill")
        server.kill()
        _save(browser)
        trouble = browser.find_element(By.ID, "trouble")
        _wait(browser, lambda: "The server does not answer" in trouble.text)
        assert "typed before the kill" in browser.find_element(By.ID, "value").get_property("value")
    browser.get("about:blank")
    with review_server(folder, "eve", port=server.port) as server:
        _enter(browser, server, "eve")
        _go(browser, server, TASK, "title")
        box = browser.find_element(By.ID, "value")
        assert box.is_displayed()
        assert box.get_property("value") == "Absolute error typed before the kill"
        _save(browser)
        _wait(browser, lambda: _shown(browser) == (TASK, "question"))
        assert drafts_of(folder)[0]["title"]["value"] == "Absolute error typed before the kill"
        _press(browser, "u")
        _wait(browser, lambda: _shown(browser) == (TASK, "title"))
        assert drafts_of(folder)[0]["title"]["value"] == "Absolute error"
        assert not browser.find_element(By.ID, "value").is_displayed()
    browser.get_log("browser")
