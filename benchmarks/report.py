"""How long a report takes to read, to build and to open in Chromium, and how large it is.

    python benchmarks/report.py [--attempts 10000] [--logs]

With --logs the attempts are first written as Inspect logs and read back, which takes most of the time.
Seconds of the clock and, in brackets, of the processor: on a busy machine only the second says much.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.many_attempts import many_attempts
from tests.synthetic_logs import Run, attempt, score

from assay import reporting
from assay.scoring import Attempt, LogRecord, read_record

Made = TypeVar("Made")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How long a report takes.")
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--logs", action="store_true", help="write and read Inspect logs too")
    chosen = parser.parse_args()
    attempts = many_attempts(chosen.attempts)
    record = LogRecord(attempts=attempts, logs=10)
    # What Python compiles and imports once is not the report's time.
    reporting.render(LogRecord(attempts=attempts[:20], logs=1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if chosen.logs:
            write_logs(attempts, folder)
            record = timed("read the logs", lambda: read_record(folder))
        place = timed("build the report", lambda: reporting.write(record, folder / "report.html"))
        print(f"{'size':<20} {place.stat().st_size / 1e6:8.2f} MB")
        for round_ in (1, 2, 3):
            print(f"{f'open, round {round_}':<20} {open_in_chromium(place)}")


def timed(what: str, do: Callable[[], Made]) -> Made:
    """Do something and print how long it took."""
    clock, processor = time.perf_counter(), time.process_time()
    made = do()
    spent = time.perf_counter() - clock, time.process_time() - processor
    print(f"{what:<20} {spent[0]:8.2f} s ({spent[1]:.2f} s)")
    return made


def write_logs(attempts: list[Attempt], folder: Path) -> None:
    """The attempts as real Inspect logs, one for each agent."""
    from assay.grading.verdict import Grade

    for agent in sorted({one.agent for one in attempts}):
        samples = []
        for one in (each for each in attempts if each.agent == agent):
            grade = Grade(task=one.task, kind=one.kind, verdicts=one.verdicts, submission=one.submission)
            about = {
                "attempts": [one.epoch],
                "kind": one.kind,
                "n": one.n,
                "title": one.title,
                "certified": one.certified,
            }
            samples.append(
                attempt(
                    one.task,
                    "passed",
                    metadata={"assay": about},
                    scores={"assay": score(grade)},
                    uuid=one.sample,
                )
            )
        Run(agent, samples, model="provider/model", suite="synthetic").write(folder)


def open_in_chromium(place: Path) -> str:
    """Seconds from asking for the page until it has drawn itself."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    programs = shutil.which("chromium"), shutil.which("chromedriver")
    if None in programs:
        return "chromium or chromedriver is not there"
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs[0])
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(str(programs[1])))
    try:
        driver.get("about:blank")
        started = time.perf_counter()
        driver.get(place.as_uri())
        while not driver.execute_script("return document.documentElement.dataset.ready !== undefined"):
            time.sleep(0.01)
        return f"{time.perf_counter() - started:8.2f} s"
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
