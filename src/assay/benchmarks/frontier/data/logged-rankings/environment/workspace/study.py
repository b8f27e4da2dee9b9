"""The analysis of one study."""

from __future__ import annotations

import numpy as np
from agreement import daily_slope, mean_agreement
from appeal import learn_appeal
from attention import attention
from bounds import bernstein_bound, bootstrap_bound, mean_bound
from calibration import calibration_numbers
from estimators import estimates, judge
from features import learn_features
from popularity import Popularity
from quality import exposure_gap, ranking_numbers
from sessions import Study

WIDTH = 1.5


def analyse(study: Study) -> dict[str, object]:
    """All numbers of one study."""
    settings = study.settings
    looks = attention(study.training, settings.length, settings.least)
    features = learn_features(study, Popularity(study, looks))
    appeal = learn_appeal(study, features, looks)
    results: dict[str, object] = {}
    bounds = []
    days = np.array([session.day for session in study.evaluation])
    for number, policy in enumerate(settings.policies, start=1):
        judged = judge(policy, appeal, looks, study.evaluation, settings.threshold)
        bounds.append(mean_bound(judged.switched, judged.users, WIDTH))
        results[f"p{number}"] = {
            **estimates(judged, settings),
            "bernstein": bernstein_bound(judged, settings),
            "bootstrap": bootstrap_bound(judged, study.later, settings, number),
            "bound": bounds[-1],
            "slope": daily_slope(judged.switched, days),
            **ranking_numbers(policy, features, study.evaluation, settings.length),
            "gap": exposure_gap(study, policy, features, looks, study.evaluation),
        }
    results["calibration"] = calibration_numbers(appeal, looks, study.evaluation)
    results["agreement"] = mean_agreement(settings.policies[0], settings.policies[1], features, study.later)
    results["choice"] = float(bounds.index(max(bounds)) + 1)
    results["attention_last"] = float(looks[-1])
    return results
