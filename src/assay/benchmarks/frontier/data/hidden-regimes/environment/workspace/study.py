"""The analysis of one study."""

from __future__ import annotations

import numpy as np
from certainty import certainty_numbers
from choice import choose
from forecast import forecast_numbers, rolling_score
from paths import best_path, path_numbers
from scaling import scale_of, standardised
from series import Panel


def analyse(raw: Panel) -> dict[str, object]:
    """All numbers of one study."""
    settings = raw.settings
    scale = scale_of(raw)
    panel = standardised(raw, scale)
    best, candidates = choose(panel)
    model = best.fit.model
    first, last = min(candidates), max(candidates)
    return {
        "choice": {
            "states": float(model.size),
            "information_fewest": candidates[first].information,
            "information_most": candidates[last].information,
            "held_fewest": candidates[first].held_score,
            "held_most": candidates[last].held_score,
            "variation_fewest": candidates[first].variation,
            "variation_most": candidates[last].variation,
        },
        "model": {
            "likelihood": best.fit.likelihood,
            "steps": float(best.fit.steps),
            "stay_first": float(model.transition[0, 0]),
            "stay_last": float(model.transition[-1, -1]),
            "initial_first": float(model.initial[0]),
            "mean_first": float(scale.undo_mean(model.means)[0, 0]),
            "mean_last": float(scale.undo_mean(model.means)[-1, -1]),
            "variance_first": float(scale.undo_variance(model.variances)[0, 0]),
            "variance_last": float(scale.undo_variance(model.variances)[-1, -1]),
            "smallest_variance": float(np.min(model.variances)),
        },
        "paths": path_numbers([best_path(model, series) for series in panel.everything], model.size),
        "certainty": certainty_numbers(model, panel.everything, settings.lag),
        "forecast": {
            **forecast_numbers(model, panel.held, settings.horizon, scale),
            "rolling": rolling_score(model, panel.held, settings.burn, scale),
        },
    }
