"""The filter forward and backward."""

import math

from gate import believed
from motion import start_state, predict
from noise import update_level
from smooth import improve


def track(measured, strength, step, level):
    """Run over all measurements; returns a list of records, one for each measurement from the third on."""
    state, covariance = start_state(measured[0], measured[1], level, step)
    records = []
    for value in measured[2:]:
        earlier = state, covariance
        state, covariance = predict(state, covariance, strength, step)
        predicted, predicted_covariance = state, covariance
        a, b, c = covariance
        innovation = value - state[0]
        spread = math.sqrt(a + level)
        variance = believed(level, innovation, spread)
        gain = a / (a + variance), b / (a + variance)
        state = state[0] + gain[0] * innovation, state[1] + gain[1] * innovation
        covariance = (1 - gain[0]) * a, (1 - gain[0]) * b, c - gain[1] * b
        level = update_level(level, innovation, value - state[0], a, covariance[0])
        records.append(
            {
                "earlier": earlier, "predicted": (predicted, predicted_covariance), "state": state,
                "innovation": innovation, "spread": spread, "gain": gain[0], "level": level,
            }
        )
    return records


def smooth(records, step):
    """The improved states, one for each record."""
    improved = [records[-1]["state"]]
    for record in reversed(records[1:]):
        state, covariance = record["earlier"]
        improved.append(improve(state, covariance, *record["predicted"], improved[-1], step))
    return improved[::-1]
