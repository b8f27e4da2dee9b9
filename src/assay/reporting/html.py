"""Writes the report: one HTML file that needs nothing else, or for very many attempts one with a folder.

Text in it was partly written by agents. The template escapes everything, the embedded data is base64 and
cannot end its script element, the script writes text nodes only, and a content policy allows no other script
than this one and, in a very large report, the files that this one loads.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.files import publish, publishing
from assay.scoring import LogRecord, Method, read_record
from assay.scoring.logs.garbage import garbage_kept

if TYPE_CHECKING:
    from jinja2 import Environment

    from assay.reporting.page import ReportPage
    from assay.reporting.page_data import PageData

SCRIPTS = ("open", "theme", "data", "words", "attempt", "behind", "pairs", "grid", "close")
"""The parts of the page's one script, in their order."""

MOST_OVERVIEW = 12
"""Agents of a suite that the first chart shows."""


def build(logs: Path | str | Iterable[Path | str], out: Path, *, method: Method = "wilson") -> Path:
    """Reads logs and writes their report to a file; a folder gets `report.html`."""
    return write(read_record(logs), out, method=method)


def write(
    record: LogRecord, out: Path, *, method: Method = "wilson", most_embedded: int | None = None
) -> Path:
    """Writes the report of what was read; the old file stays until the new one is whole.

    With more than `most_embedded` attempts (20,000), their details are in the folder `report.parts` beside
    `report.html`, and the page loads them when an attempt is opened.
    """
    from assay.reporting.page import make_page
    from assay.reporting.page_data import MOST_EMBEDDED, divided, embedded

    place = out / "report.html" if out.is_dir() else out
    folder = parts_folder(place)
    with garbage_kept():
        page = make_page(record, method, place.parent)
        most = MOST_EMBEDDED if most_embedded is None else most_embedded
        data = embedded(page) if len(record.attempts) <= most else divided(page, folder.name)
        if data.parts:
            with publishing(folder) as partial:
                partial.mkdir()
                for name, script in data.parts.items():
                    (partial / name).write_text(script, encoding="utf-8")
        publish(place, _text(page, data))
    return place


def parts_folder(place: Path) -> Path:
    """The folder of a very large report's details, beside its page."""
    return place.with_name(f"{place.stem}.parts")


def render(record: LogRecord, *, method: Method = "wilson", page_folder: Path | None = None) -> str:
    """The report as text, in one piece; links to files are relative to the page's folder, if it is known."""
    from assay.reporting.page import make_page
    from assay.reporting.page_data import embedded

    page = make_page(record, method, page_folder)
    return _text(page, embedded(page))


def _text(page: ReportPage, data: PageData) -> str:
    from assay.version import __version__

    environment = make_environment()
    script = "".join(page_source(environment, f"script/{name}.js") for name in SCRIPTS)
    return environment.get_template("report.html").render(
        page=page,
        data=data.embedded,
        parts=len(data.parts),
        style=page_source(environment, "style.css") + page_source(environment, "figures.css"),
        script=script,
        policy=content_policy(script, loads_scripts=bool(data.parts)),
        version=__version__,
    )


def make_environment() -> Environment:
    """The templates, with the filters and names that they use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from assay.reporting import cheats, comparison_table, drawings, headline, item_table, tables, wording

    environment = Environment(
        loader=PackageLoader("assay.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "gist": wording.gist,
        "percent": wording.percent,
        "points": comparison_table.points,
        "score": wording.score_text,
        "interval": wording.interval_text,
        "unknown": wording.unknown_text,
        "tokens": wording.tokens_text,
        "money": wording.money_text,
        "duration": wording.time_text,
    }
    environment.globals |= {
        "count": wording.count,
        "of": wording.behind,
        "pair": wording.paired,
        "methods": wording.METHODS,
        "p_text": comparison_table.p_text,
        "labels_in": tables.labels_in,
        "sandbox_lines": tables.sandbox_lines,
        "surprises": tables.surprises,
        "cheats_summary": cheats.cheats_summary,
        "MOST_HEADLINES": headline.MOST_HEADLINES,
        "MOST_OVERVIEW": MOST_OVERVIEW,
        "drawings": drawings,
        "item_summary": item_table.summary,
        "shown_items": item_table.shown_items,
        "MOST_ITEM_ROWS": item_table.MOST_ITEM_ROWS,
        "bits": item_table.bits_text,
        **_experiment_names(),
    }
    return environment


def _experiment_names() -> dict[str, object]:
    """What the section on experiments uses."""
    from assay.reporting import decided_table, experiment_summary, phase_words
    from assay.scoring.scorecards import phases

    return {
        "NAMES": phase_words.NAMES,
        "SHARES": phase_words.SHARES,
        "DENOMINATORS": phases.DENOMINATORS,
        "EXECUTED": phases.EXECUTED,
        "PUBLISHED_MEASURES": (*phase_words.SHARES, *phases.JUDGED, *phases.EXECUTED),
        "VERIFIED": phases.VERIFIED,
        "credit_range": phase_words.credit_range,
        "unknown_items": phase_words.unknown_items,
        "decided_letters": decided_table.decided_letters,
        "decided_text": decided_table.decided_text,
        "undecided_reasons": decided_table.undecided_reasons,
        "truth_lines": experiment_summary.truth_lines,
    }


def page_source(environment: Environment, name: str) -> str:
    """A file that goes into the page as it stands: our own style or script."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def content_policy(script: str, *, loads_scripts: bool = False) -> str:
    """Allows this one script, what it loads by itself if it may, and inline styles; nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    loaded = " 'strict-dynamic'" if loads_scripts else ""
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'{loaded}; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
