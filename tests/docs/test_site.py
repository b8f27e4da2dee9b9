"""The site builds with no network and no broken link, and its pages load nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long  # builds the whole site: `.ci/run` and `make test-long` run these tests

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link rel="(?:stylesheet|preload|icon)")[^>]*\b(?:src|href)="([^"]+)\""""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [ROOT / "scripts" / "docs", folder],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert built.returncode == 0, built.stdout
    return folder


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    loaded = {address for page in pages for address in LOADED.findall(page.read_text())}
    assert len(pages) > 20
    assert not [address for address in loaded if re.match(r"(https?:)?//", address)]


def test_drawings_are_part_of_their_pages(site: Path) -> None:
    for page in ("concepts/attempt", "concepts/certificates", "concepts/unknown", "design"):
        assert '<svg class="drawing"' in (site / f"{page}.html").read_text()


def test_no_marker_is_left_in_a_page(site: Path) -> None:
    assert not [page for page in site.rglob("*.html") if "<!-- generate:" in page.read_text()]
