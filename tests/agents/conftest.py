"""The scripted model's service wants a key in the environment, as every service does."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", "none")
