"""The report in a real Chromium: what a reader clicks must work, without one error in the console."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import pairwise

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from assay import report
from assay.grading.verdict import Verdict
from tests.synthetic_logs import Run, attempt, grade, score, write_demo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,900"
)


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
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = write_demo(tmp_path_factory.mktemp("logs"))
    hostile = (
        "</script><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    )
    verdict = Verdict(item="integrity.page", status="unmet", evidence=hostile, owner="agent")
    graded = score(grade("prune", "challenge", "failed", caught=verdict))
    Run("cheat-page", [attempt("prune", "failed", scores={"assay": graded})]).write(folder)
    return report.build(folder, folder).as_uri()


@pytest.fixture
def page(browser: webdriver.Chrome, address: str) -> Iterator[webdriver.Chrome]:
    browser.get("about:blank")
    browser.get(address)
    browser.execute_script("localStorage.clear()")
    browser.get("about:blank")
    browser.get(address)
    yield browser
    assert browser.get_log("browser") == []


def _dialog(page: webdriver.Chrome) -> WebElement:
    dialog = page.find_element(By.ID, "attempt")
    WebDriverWait(page, 10).until(lambda _: dialog.get_attribute("open") is not None)
    return dialog


def _closed(page: webdriver.Chrome) -> None:
    WebDriverWait(page, 10).until(lambda _: page.find_element(By.ID, "attempt").get_attribute("open") is None)


def _rows(page: webdriver.Chrome) -> list[str]:
    rows = page.find_elements(By.CSS_SELECTOR, "#grid tbody tr")
    return [row.find_element(By.TAG_NAME, "code").text for row in rows if row.is_displayed()]


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


def test_a_permalink_opens_its_attempt_and_next_goes_on(page: webdriver.Chrome, address: str) -> None:
    page.get("about:blank")
    page.get(f"{address}#prune/agentless/2")
    dialog = _dialog(page)
    assert [one.text for one in dialog.find_elements(By.TAG_NAME, "h3")][1] == "✗ Attempt 2 of 3: failed"

    dialog.find_element(By.LINK_TEXT, "Next ›").click()

    WebDriverWait(page, 10).until(lambda _: "react" in dialog.find_element(By.CLASS_NAME, "by").text)
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
    assert background() == dark


def test_what_a_cheat_wrote_is_shown_and_not_run(page: webdriver.Chrome) -> None:
    page.find_element(By.CSS_SELECTOR, '#cheats a[href="#prune/cheat-page"]').click()

    dialog = _dialog(page)

    assert "</script><script>document.title = 'taken'</script>" in dialog.text
    assert page.title == "Assay: demo"
    assert dialog.find_elements(By.TAG_NAME, "img") == []


def test_a_phone_shows_everything_without_sideways_scrolling_of_the_page(page: webdriver.Chrome) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        cell = page.find_element(By.CSS_SELECTOR, '.scores td[data-label="Masked"]')
        assert cell.is_displayed()
        assert cell.rect["x"] + cell.rect["width"] <= 390
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_screen_reader_finds_names_headings_and_tables(page: webdriver.Chrome) -> None:
    """Chromium's own accessibility tree: every control has a name, and tables stay tables."""
    page.execute_cdp_cmd("Accessibility.enable", {})
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
