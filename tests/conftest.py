"""How Hypothesis looks for examples: the same ones each time by default, new ones in `make test-long`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Deadlines and the check for slow generation measure the machine's load, not the code.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("ASSAY_HYPOTHESIS", "fixed"))
