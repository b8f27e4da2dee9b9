"""The report in a real Chromium: what a reader clicks must work, without one error in the console."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from inspect_ai.log import EvalSampleLimit
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from assay import reporting
from assay.grading.verdict import Grade, Verdict
from assay.reporting.trend_page import build_trend
from assay.scoring import LogRecord
from assay.workspace import Submission
from tests.many_attempts import many_attempts
from tests.synthetic_logs import Run, attempt, challenge, experiment, grade, score, write_demo

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,900"
)
SHOWN_ROWS = """
return [...document.querySelectorAll("#grid tbody tr")]
    .filter((row) => row.checkVisibility())
    .map((row) => row.querySelector("code").innerText)
"""


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
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = write_demo(tmp_path_factory.mktemp("logs"))
    given = Submission({"steps.py": b"def scale(value):\n    return value * 3.0  # <b>bold</b>\n"})
    digest = given.store(folder / "submissions")
    handed_in = grade("prune", "challenge", "passed").model_copy(update={"submission": digest})
    sample = attempt("prune", "passed", scores={"assay": score(handed_in)})
    Run("scripted", [sample], model="m").write(folder)
    hostile = (
        "</script><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    )
    verdict = Verdict(item="integrity.page", status="unmet", evidence=hostile, owner="agent")
    graded = score(grade("prune", "challenge", "failed", caught=verdict))
    Run("cheat-page", [attempt("prune", "failed", scores={"assay": graded})]).write(folder)
    return reporting.build(folder, folder).as_uri()


@pytest.fixture
def page(
    browser: webdriver.Chrome, address: str, request: pytest.FixtureRequest
) -> Iterator[webdriver.Chrome]:
    """The report of the demo; a test can ask for a place in it by an indirect parameter."""
    _open(browser, address + getattr(request, "param", ""))
    yield browser
    browser.execute_script("localStorage.clear()")
    assert browser.get_log("browser") == []


def _open(browser: webdriver.Chrome, address: str) -> None:
    """Opens an address anew and waits until the page has drawn itself."""
    browser.get("about:blank")
    browser.get(address)
    ready = "return document.documentElement.dataset.ready !== undefined"
    _wait(browser, 30).until(lambda _: browser.execute_script(ready))


def _wait(page: webdriver.Chrome, seconds: float = 10) -> WebDriverWait[webdriver.Chrome]:
    return WebDriverWait(page, seconds, poll_frequency=0.05)


def _dialog(page: webdriver.Chrome) -> WebElement:
    dialog = page.find_element(By.ID, "attempt")
    _wait(page).until(lambda _: dialog.get_attribute("open") is not None)
    return dialog


def _closed(page: webdriver.Chrome) -> None:
    _wait(page).until(lambda _: page.find_element(By.ID, "attempt").get_attribute("open") is None)


def _rows(page: webdriver.Chrome) -> list[str]:
    """The tasks of the rows that are shown, in one call: a call for each row and each cell takes seconds."""
    shown: list[str] = page.execute_script(SHOWN_ROWS)
    return shown


def test_grid_to_attempt_to_verdict(page: webdriver.Chrome) -> None:
    page.find_element(By.CSS_SELECTOR, 'a[href="#adaptive-step-2/react"]').click()

    dialog = _dialog(page)
    assert dialog.find_element(By.TAG_NAME, "h2").text == "Adaptive step sizes, the squared gradient removed"
    assert "0.6111 against 0.9333 ± 0.0080" in dialog.text
    assert "--task adaptive-step-2 --agent react" in dialog.text
    met = dialog.find_element(By.CSS_SELECTOR, '[data-item="execution.run"]')
    evidence = met.find_element(By.CSS_SELECTOR, "pre")
    assert not evidence.is_displayed()
    met.find_element(By.TAG_NAME, "summary").click()
    assert evidence.text == "`python run.py` ended with 0 after 1.2 s"
    dialog.find_element(By.CSS_SELECTOR, ".asked summary").click()
    assert "Mend it" in dialog.find_element(By.CSS_SELECTOR, ".asked pre").text
    dialog.find_element(By.CLASS_NAME, "close").click()
    _closed(page)


def test_the_keyboard_opens_and_closes_and_comes_back(page: webdriver.Chrome) -> None:
    link = page.find_element(By.CSS_SELECTOR, 'a[href="#prune/oracle"]')
    link.send_keys(Keys.ENTER)
    _dialog(page)
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    _closed(page)

    assert page.switch_to.active_element == link
    assert "#" not in page.current_url
    link.send_keys(Keys.ARROW_LEFT)
    left = page.switch_to.active_element
    left.send_keys(Keys.ARROW_UP)
    assert left.get_attribute("href").endswith("#prune/scripted")
    assert page.switch_to.active_element == left, "there is nothing above but cells that were not run"


@pytest.mark.parametrize("page", ["#prune/agentless/2"], indirect=True)
def test_a_permalink_opens_its_attempt_and_next_goes_on(page: webdriver.Chrome) -> None:
    dialog = _dialog(page)
    assert [one.text for one in dialog.find_elements(By.TAG_NAME, "h3")][1] == "✗ Attempt 2 of 3: failed"

    dialog.find_element(By.LINK_TEXT, "Next ›").click()

    _wait(page).until(lambda _: "react" in dialog.find_element(By.CLASS_NAME, "by").text)
    assert page.current_url.endswith("#prune/react")


def test_filters_by_text_kind_agent_and_outcome(page: webdriver.Chrome) -> None:
    search = page.find_element(By.NAME, "text")
    assert len(_rows(page)) == 12
    search.send_keys("react unknown")
    assert _rows(page) == ["spectral-1", "spectral-3", "active-learning", "prune"]
    assert page.find_element(By.ID, "matches").text == "4 of 12 tasks"
    Select(page.find_element(By.NAME, "kind")).select_by_visible_text("challenge")
    assert _rows(page) == ["prune"]
    search.clear()
    Select(page.find_element(By.NAME, "agent")).select_by_value("react")
    Select(page.find_element(By.NAME, "status")).select_by_visible_text("failed")
    assert _rows(page) == ["character-model"]
    headings = page.find_elements(By.CSS_SELECTOR, "#grid thead th")
    assert [one.text.split("\n")[0] for one in headings if one.is_displayed()] == ["Task", "react"]
    page.find_element(By.CSS_SELECTOR, "#filters button[type=reset]").click()
    _wait(page).until(lambda _: len(_rows(page)) == 12)


def test_a_heading_sorts_and_the_address_remembers_it(page: webdriver.Chrome) -> None:
    heading = 'th[data-key="react"]'
    page.find_element(By.CSS_SELECTOR, f"{heading} button").click()

    assert page.find_element(By.CSS_SELECTOR, heading).get_attribute("aria-sort") == "descending"
    assert _rows(page)[:2] == ["adaptive-step-1", "adaptive-step-both"]
    Select(page.find_element(By.NAME, "kind")).select_by_visible_text("challenge")
    _wait(page).until(lambda _: "kind=challenge" in page.current_url)
    address = page.current_url

    _open(page, address)

    assert _rows(page) == ["character-model", "prune"]
    assert page.find_element(By.CSS_SELECTOR, heading).get_attribute("aria-sort") == "descending"


def test_a_number_opens_its_attempts_and_the_command_that_remakes_it(page: webdriver.Chrome) -> None:
    number = page.find_element(
        By.CSS_SELECTOR, '#scores a[href^="#of?"][href*="agent=react"][href*="kind=masked"]'
    )
    assert number.text.startswith("2/6")
    number.send_keys(Keys.ENTER)

    dialog = _dialog(page)

    assert "6 attempts: 2 passed, 2 failed, 2 unknown" in dialog.text
    assert "assay report" in dialog.find_element(By.CSS_SELECTOR, ".command").text
    rows = dialog.find_elements(By.CSS_SELECTOR, ".attempts li")
    assert len(rows) == 6
    assert "0.6111 against 0.9333" in rows[1].text
    rows[1].find_element(By.TAG_NAME, "a").click()
    _wait(page).until(lambda _: dialog.find_elements(By.CSS_SELECTOR, "[data-item]"))
    assert page.current_url.endswith("#adaptive-step-2/react/1/result.default.accuracy")
    page.back()
    _wait(page).until(lambda _: "Behind this number" in dialog.text)
    dialog.find_element(By.CLASS_NAME, "close").click()
    _closed(page)
    assert page.switch_to.active_element == number


@pytest.mark.long
def test_a_difference_opens_the_tasks_it_is_made_of(page: webdriver.Chrome) -> None:
    number = page.find_element(By.CSS_SELECTOR, '#compare a[href^="#pair?"]')
    number.send_keys(Keys.ENTER)

    dialog = _dialog(page)

    assert "8 tasks with a scored attempt of both" in dialog.text
    assert "--agents agentless@local/smollm2,react@openai/gpt-5-mini" in dialog.text
    rows = dialog.find_elements(By.CSS_SELECTOR, ".pairs tbody tr")
    assert len(rows) == 12
    assert rows[0].find_elements(By.TAG_NAME, "td")[-1].text == "second"
    assert rows[-1].find_elements(By.TAG_NAME, "td")[-1].text == "unscored"
    rows[0].find_element(By.TAG_NAME, "a").click()
    _wait(page).until(lambda _: dialog.find_elements(By.CSS_SELECTOR, "[data-item]"))
    page.back()
    _wait(page).until(lambda _: "Behind this difference" in dialog.text)
    dialog.find_element(By.CLASS_NAME, "close").click()
    _closed(page)
    assert page.switch_to.active_element == number


def test_a_published_number_opens_its_citation(page: webdriver.Chrome) -> None:
    page.find_element(By.CSS_SELECTOR, '#masked .published a[href^="#cited?"]').click()

    dialog = _dialog(page)

    assert "AutoExperiment: published, not measured here" in dialog.text
    assert "arXiv 2506.19724" in dialog.text
    assert "35.3%" in dialog.text
    assert "--figures" in dialog.find_element(By.CSS_SELECTOR, ".command").text


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One attempt that crashed: three items that follow from it, and a transcript with hostile text."""
    folder = tmp_path_factory.mktemp("crashed")
    crash = "the run exited with 1: Traceback: ⏎   File run.py, line 3 ⏎ ValueError: shapes differ"
    items = {
        "execution.default": crash,
        "execution.other-seed": crash.replace("line 3", "line 4"),
        "result.default.loss": f"no number: the run failed: {crash}",
        "result.default.accuracy": f"no number: the run failed: {crash}",
        "design.depth": "names no depth",
    }
    verdicts = [
        Verdict(item=item, status="unmet", evidence=evidence, owner="agent")
        for item, evidence in items.items()
    ]
    graded = Grade(task="spectral-1", kind="masked", verdicts=verdicts)
    words = "<img src=x onerror=\"document.title = 'taken'\">"
    messages = [ChatMessageUser(content="Fix it."), ChatMessageAssistant(content=words)]
    sample = attempt("spectral-1", "failed", scores={"assay": score(graded)}, messages=messages)
    Run("react", [sample], model="m").write(folder)
    return reporting.build(folder, folder).as_uri()


@pytest.mark.long
def test_a_traceback_keeps_its_lines_and_is_shown_once(browser: webdriver.Chrome, crashed: str) -> None:
    _open(browser, f"{crashed}#spectral-1/react")
    dialog = _dialog(browser)

    shown = dialog.find_elements(By.CSS_SELECTOR, ".verdict pre")
    assert [box.text.splitlines()[-1] for box in shown] == ["ValueError: shapes differ", "names no depth"]
    assert shown[0].text.splitlines()[1].strip() == "File run.py, line 3"
    followers = dialog.find_element(By.CSS_SELECTOR, ".followers")
    assert followers.text == "3 more follow from it"
    followers.find_element(By.TAG_NAME, "summary").click()
    items = [item.text for item in followers.find_elements(By.TAG_NAME, "code")]
    assert items == ["execution.other-seed", "result.default.loss", "result.default.accuracy"]
    _open(browser, f"{crashed}#spectral-1/react/1/result.default.loss")
    assert _dialog(browser).find_element(By.CSS_SELECTOR, ".followers li").is_displayed()


def test_the_transcript_is_inline_and_stays_text(browser: webdriver.Chrome, crashed: str) -> None:
    _open(browser, f"{crashed}#spectral-1/react")
    transcript = _dialog(browser).find_element(By.CSS_SELECTOR, ".transcript")
    assert transcript.text == "Transcript: 1 step"
    transcript.find_element(By.TAG_NAME, "summary").click()

    _wait(browser).until(lambda _: "<img src=x" in transcript.text)
    assert transcript.find_elements(By.TAG_NAME, "img") == []
    assert browser.title == "Assay: demo"
    assert browser.get_log("browser") == []


@pytest.fixture(scope="module")
def research(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Experiments with phases and challenges with scores on the way."""
    folder = tmp_path_factory.mktemp("research")
    samples = [
        experiment("label-noise", unmet="requirement.seeds"),
        experiment("bagging-depth", unknown="execution"),
        attempt("ridge-leakage", "error"),
        challenge("prune", [(30.0, None), (60.0, 0.2), (450.0, 0.8)]),
        challenge("prune", [(90.0, 0.4)], epoch=2),
    ]
    Run("iterative", samples, model="m").write(folder)
    return reporting.build(folder, folder).as_uri()


@pytest.mark.long
def test_a_measure_opens_the_attempts_below_its_line(browser: webdriver.Chrome, research: str) -> None:
    _open(browser, research)
    cells = browser.find_elements(
        By.CSS_SELECTOR, '#experiments .tight tr:not(.published) td[data-label="I·E"] a'
    )
    assert [cell.text for cell in cells] == ["0/3 0%\n[0, 56]", "2 unknown: 0–67%", "0/1 0%"]

    cells[0].click()

    dialog = _dialog(browser)
    assert "3 attempts: 0 met it, 1 did not, 2 unknown" in dialog.text
    assert "--table phases" in dialog.find_element(By.CSS_SELECTOR, ".command").text
    assert "requirement.seeds is not as it should be" in dialog.text
    dialog.find_element(By.CLASS_NAME, "close").click()
    _closed(browser)
    browser.find_elements(By.CSS_SELECTOR, '#experiments .tight td[data-label="I·E"] a')[2].click()
    assert "1 attempt: 0 met it" in _dialog(browser).text
    assert browser.get_log("browser") == []


@pytest.mark.long
def test_each_denominator_opens_the_attempts_that_it_counts(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    """Late and undecided attempts leave EXP-Bench's denominator; a flagged one counts as not met."""
    samples = [
        experiment("label-noise"),
        experiment("label-noise", epoch=2, limit=EvalSampleLimit(type="time", limit=60)),
        experiment("bagging-depth", unknown="design.depth"),
        experiment("ridge-leakage", unmet="integrity.canary"),
    ]
    for sample in samples:
        truth = "verified" if sample.id == "bagging-depth" else "unverified"
        sample.metadata["assay"]["labels"] = {"truth": truth}
    Run("react", samples, model="m").write(tmp_path)
    address = reporting.build(tmp_path, tmp_path).as_uri()
    _open(browser, address)

    def behind(table: str, name: str) -> tuple[str, str]:
        (link, *_) = browser.find_elements(By.CSS_SELECTOR, f'#experiments {table} td[data-label="{name}"] a')
        text = link.text.replace("\n", " ")
        browser.execute_script("arguments[0].click()", link)
        counted = _dialog(browser).find_elements(By.CSS_SELECTOR, "p")[1].text
        _dialog(browser).find_element(By.CLASS_NAME, "close").click()
        _closed(browser)
        return text, counted.partition(" unknown")[0]

    assert behind(".tight", "All✓") == ("3/4 75% [30, 95]", "4 attempts: 3 met it, 0 did not, 1")
    assert behind(".as-published", "All✓") == ("1/2 50%", "2 attempts: 1 met it, 1 did not, 0")
    assert behind(".as-published", "D") == (
        "50% of items, 2 judged",
        "2 attempts: 1 met it, 1 did not, 0",
    )
    assert behind(".part", "All✓") == ("0/1 0% [0, 79]", "1 attempt: 0 met it, 0 did not, 1")
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.long), 390])
def test_the_tables_of_experiments_fit_the_page(browser: webdriver.Chrome, research: str, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        _open(browser, research)
        widths = browser.execute_script(
            "return [document.documentElement.scrollWidth,"
            " ...[...document.querySelectorAll('#experiments > .scroll')].map((one) => one.scrollWidth)]"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert len(widths) == 5
    assert max(widths) <= width


def test_score_over_time_is_drawn_and_submissions_listed(browser: webdriver.Chrome, research: str) -> None:
    _open(browser, research)
    plot = browser.find_element(By.CSS_SELECTOR, "#challenges .plot")
    assert len(plot.find_elements(By.CSS_SELECTOR, ".each polyline")) == 2
    assert len(plot.find_elements(By.CSS_SELECTOR, ".median polyline")) == 1
    row = browser.find_element(By.CSS_SELECTOR, "#challenges tbody tr").text
    assert "+0.300 (2)" in row

    _open(browser, f"{research}#prune/iterative/1")

    dialog = _dialog(browser)
    assert "Scores during the attempt: 3" in dialog.text
    assert "over 60,000 parameters" in dialog.text
    assert browser.get_log("browser") == []


def test_a_failure_leads_to_the_attempts_that_show_it(page: webdriver.Chrome) -> None:
    shown = page.find_element(By.CSS_SELECTOR, '#failures a[href*="type=sandbox"]')
    shown.click()

    dialog = _dialog(page)

    assert "assay failures" in dialog.find_element(By.CSS_SELECTOR, ".command").text
    dialog.find_element(By.CSS_SELECTOR, ".attempts a").click()
    _wait(page).until(lambda _: dialog.find_elements(By.CSS_SELECTOR, ".insight"))
    assert "Whose fault: the sandbox’s" in dialog.text


@pytest.mark.parametrize("page", ["#prune/scripted"], indirect=True)
def test_an_attempt_shows_what_was_handed_in_and_the_way_to_its_transcript(page: webdriver.Chrome) -> None:
    dialog = _dialog(page)

    added = [one.text for one in dialog.find_elements(By.CSS_SELECTOR, ".diff .added")]
    assert added == ["+def scale(value):", "+    return value * 3.0  # <b>bold</b>"]
    assert "assay view" in dialog.text
    link = dialog.find_element(By.LINK_TEXT, "open this attempt in Inspect View").get_attribute("href")
    sample = dialog.find_elements(By.CSS_SELECTOR, ".particulars dd code")[-1].text
    assert link == f"http://127.0.0.1:7575/#/logs/scripted.eval/samples/sample_uuid/{sample}"


@pytest.mark.long
def test_the_way_to_the_transcript_leads_there(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """Inspect View itself, on a log in a folder of folders, of a task with slashes, resumed: epoch 1 is
    attempt 2."""
    deep = tmp_path / "run one" / "first"
    deep.mkdir(parents=True)
    sample = experiment("iclr2024/17388/0")
    sample.metadata["assay"]["attempts"] = [2]
    Run("nested", [sample], model="m").write(deep, "2026-01-01T00-00-00+00-00_nest")
    Run("other", [attempt("prune", "passed")], model="m").write(tmp_path)
    page = reporting.build(tmp_path, tmp_path / "report.html")
    _open(browser, f"{page.as_uri()}#iclr2024-17388-0/nested")
    dialog = _dialog(browser)
    link = dialog.find_element(By.LINK_TEXT, "open this attempt in Inspect View").get_attribute("href")
    assert link is not None
    assert f"assay view {tmp_path}" in dialog.text
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    viewer = subprocess.Popen(
        [sys.executable, "-m", "inspect_ai", "view", "start", "--log-dir", str(tmp_path), "--port", port],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        browser.get(link.replace("7575", port))
        WebDriverWait(browser, 60).until(
            lambda _: "Sample iclr2024/17388/0 (Epoch 1)" in browser.find_element(By.TAG_NAME, "body").text
        )
    finally:
        viewer.terminate()
        viewer.wait()
        browser.get("about:blank")
        browser.get_log("browser")


def _wait_for(port: str) -> None:
    for _ in range(600):
        with socket.socket() as there:
            if there.connect_ex(("127.0.0.1", int(port))) == 0:
                return
        time.sleep(0.1)
    pytest.fail("Inspect View did not start")


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory: pytest.TempPathFactory) -> str:
    """150 tasks: more rows than the page draws at once."""
    attempts = [attempt for attempt in many_attempts(1_500) if attempt.agent == "agent-0"]
    page = tmp_path_factory.mktemp("rows") / "report.html"
    page.write_text(reporting.render(LogRecord(attempts=attempts, logs=1)))
    return page.as_uri()


@pytest.mark.long
def test_rows_are_drawn_as_the_reader_comes_to_them(browser: webdriver.Chrome, many_rows: str) -> None:
    _open(browser, many_rows)

    grid = browser.find_element(By.ID, "grid")
    assert grid.get_attribute("aria-rowcount") == "151"
    assert len(grid.find_elements(By.CSS_SELECTOR, "tbody tr")) == 80
    browser.execute_script("document.querySelector('.more').scrollIntoView()")
    _wait(browser).until(lambda _: len(grid.find_elements(By.CSS_SELECTOR, "tbody tr")) == 150)
    assert browser.get_log("browser") == []


@pytest.mark.long
def test_all_rows_are_printed(browser: webdriver.Chrome, many_rows: str) -> None:
    _open(browser, many_rows)

    browser.execute_cdp_cmd("Page.printToPDF", {})

    assert len(browser.find_elements(By.CSS_SELECTOR, "#grid tbody tr")) == 150


@pytest.mark.long
def test_a_very_large_report_loads_details_when_an_attempt_is_opened(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    attempts = many_attempts(1_200)
    page = reporting.write(LogRecord(attempts=attempts, logs=1), tmp_path / "large.html", most_embedded=1_000)
    loaded = "return [...document.querySelectorAll('head script')].map((one) => one.getAttribute('src'))"
    outlines = reporting.write(LogRecord(attempts=attempts, logs=1), tmp_path / "whole.html")
    assert sorted(part.name for part in (tmp_path / "large.parts").iterdir()) == ["0.js", "1.js"]
    assert not (tmp_path / "whole.parts").exists()
    assert page.stat().st_size < outlines.stat().st_size

    _open(browser, page.as_uri())
    assert browser.execute_script(loaded) == []
    browser.get(f"{page.as_uri()}#of?type=missing-module&by=failures")
    assert "execution.default" in _dialog(browser).text, "filters work without the details"
    failed = next(attempt for attempt in attempts if attempt.agent == "agent-3" and not attempt.passed)
    browser.get(f"{page.as_uri()}#{failed.task}/agent-3")

    evidence = failed.verdicts[0].evidence.split(" ⏎ ")[-1]
    _wait(browser).until(lambda _: evidence in _dialog(browser).text)
    assert "What was asked" in _dialog(browser).text
    assert failed.submission in _dialog(browser).text
    assert len(browser.execute_script(loaded)) == 1
    assert browser.get_log("browser") == []


@pytest.mark.long
def test_a_very_large_report_without_its_folder_says_what_is_missing(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    attempts = many_attempts(30)
    page = reporting.write(LogRecord(attempts=attempts, logs=1), tmp_path / "report.html", most_embedded=10)
    shutil.rmtree(tmp_path / "report.parts")

    _open(browser, f"{page.as_uri()}#{attempts[0].task}/agent-0")

    _wait(browser).until(lambda _: "report.parts/0.js is not there" in _dialog(browser).text)
    assert "assay report" in _dialog(browser).text
    browser.get_log("browser")


PLACES = [
    ("#prune/scripted", "dark"),
    pytest.param("", "light", marks=pytest.mark.long),
    pytest.param("", "dark", marks=pytest.mark.long),
    pytest.param("#adaptive-step-2/react", "light", marks=pytest.mark.long),
    pytest.param("#of?agent=react&by=report", "light", marks=pytest.mark.long),
]
"""Places and themes; in `make test` the page with an open dialog."""
AXE = """
const answer = arguments[arguments.length - 1];
axe.run({resultTypes: ["violations"], rules: RULES}).then((result) => answer(result.violations));
"""
"""Returns violations alone."""


@pytest.mark.parametrize(("page", "theme"), PLACES, indirect=["page"])
def test_axe_finds_nothing_to_fix(page: webdriver.Chrome, theme: str) -> None:
    """Deque's axe-core: names, roles, structure, contrast."""
    script = _axe()
    page.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    page.execute_script(script)

    # Addresses within the page are what it shows, not places to skip to.
    rules = "{'skip-link': {enabled: false}}"
    violations = page.execute_async_script(AXE.replace("RULES", rules))

    told = [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:300]}" for one in violations]
    assert told == []


@pytest.fixture(scope="module")
def trend(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two runs of one agent, a week apart."""
    root = tmp_path_factory.mktemp("trend")
    for day, outcome in (("03", "failed"), ("10", "passed")):
        folder = root / f"2026-02-{day}"
        folder.mkdir()
        created = f"2026-02-{day}T09:00:00+00:00"
        Run("react", [attempt("spectral-1", outcome)], model="m", created=created).write(folder)
    return build_trend(sorted(root.iterdir()), root).as_uri()


@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_axe_finds_nothing_to_fix_on_the_trend_page(
    browser: webdriver.Chrome, trend: str, theme: str
) -> None:
    script = _axe()
    _open(browser, trend)
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    browser.execute_script(script)

    violations = browser.execute_async_script(AXE.replace("RULES", "{}"))

    assert [rule["id"] for rule in violations] == []
    assert browser.get_log("browser") == []


def test_the_trend_page_opens_the_report_of_each_run(browser: webdriver.Chrome, trend: str) -> None:
    _open(browser, trend)
    browser.find_element(By.LINK_TEXT, "2026-02-10").click()

    WebDriverWait(browser, 30).until(lambda _: browser.current_url.endswith("trend-runs/2026-02-10.html"))
    assert "react with m passed 1 of 1" in browser.find_element(By.CLASS_NAME, "lead").text


def _axe() -> str:
    place = Path(os.environ.get("ASSAY_AXE", "node_modules/axe-core/axe.min.js"))
    if not place.is_file():
        pytest.skip(f"{place} is not there: npm install --no-save --no-package-lock axe-core")
    return place.read_text()


def test_dark_and_light_are_chosen_and_remembered(page: webdriver.Chrome) -> None:
    def background() -> str:
        return page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")

    button = page.find_element(By.ID, "theme")
    button.click()
    light = background()
    button.click()
    dark = background()
    assert (button.text, light) == ("Theme: dark", "rgba(253, 252, 249, 1)")
    assert dark == "rgba(23, 24, 27, 1)"
    page.refresh()
    _wait(page).until(lambda _: background() == dark)


def test_what_a_cheat_wrote_is_shown_and_not_run(page: webdriver.Chrome) -> None:
    page.find_element(By.CSS_SELECTOR, "#cheats summary").click()
    page.find_element(By.CSS_SELECTOR, '#cheats a[href="#prune/cheat-page"]').click()

    dialog = _dialog(page)

    assert "</script><script>document.title = 'taken'</script>" in dialog.text
    assert page.title == "Assay: demo"
    assert dialog.find_elements(By.TAG_NAME, "img") == []


@contextlib.contextmanager
def phone(browser: webdriver.Chrome) -> Iterator[None]:
    """A window as narrow as a phone."""
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_phone_shows_everything_without_sideways_scrolling_of_the_page(page: webdriver.Chrome) -> None:
    with phone(page):
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        measure = "caption => caption.getBoundingClientRect().right"
        ends = f"return Array.from(document.querySelectorAll('caption'), {measure})"
        assert max(page.execute_script(ends)) <= 390
        cell = page.find_element(By.CSS_SELECTOR, '.scores td[data-label="Masked"]')
        assert cell.is_displayed()
        assert cell.rect["x"] + cell.rect["width"] <= 390


def test_a_phone_names_the_lines_of_a_plot_below_it(page: webdriver.Chrome) -> None:
    names = page.find_element(By.CSS_SELECTOR, "#masked .line-names")
    beside = page.find_elements(By.CSS_SELECTOR, "#masked .plot:not(.sample) .name")
    assert not names.is_displayed()
    with phone(page):
        assert names.is_displayed()
        assert len(names.find_elements(By.TAG_NAME, "li")) == len(beside) > 1
        assert names.rect["x"] + names.rect["width"] <= 390


@pytest.mark.parametrize(
    ("report", "place"),
    [
        ("address", "#pair?first=agentless&second=react&by=compare"),
        pytest.param("research", "#prune/iterative", marks=pytest.mark.long),
        pytest.param("address", "#adaptive-step-2/react", marks=pytest.mark.long),
        pytest.param("address", "#of?agent=react&by=report", marks=pytest.mark.long),
    ],
)
def test_a_phone_shows_dialogs_without_sideways_scrolling(
    browser: webdriver.Chrome, request: pytest.FixtureRequest, report: str, place: str
) -> None:
    with phone(browser):
        _open(browser, request.getfixturevalue(report) + place)
        assert _dialog(browser).get_property("scrollWidth") <= 390


def test_a_screen_reader_finds_names_headings_and_tables(page: webdriver.Chrome) -> None:
    """Chromium's own accessibility tree: every control has a name, and tables stay tables."""
    page.execute_cdp_cmd("Accessibility.enable", {})
    page.execute_script("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    nodes = page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]

    controls = {"link", "button", "combobox", "searchbox", "region"}
    assert [role for role, name in seen if role in controls and not name.strip()] == []
    assert ("heading", "Scores") in seen
    assert ("link", "Prune a classifier to 24 KB, react · openai/gpt-5-mini: unknown") in seen
    assert sum(role == "table" for role, _ in seen) == len(page.find_elements(By.TAG_NAME, "table"))
    levels = [
        int(one.tag_name[1]) for one in page.find_elements(By.CSS_SELECTOR, "main h1, main h2, main h3")
    ]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
