"""What the examples tell about settings of each kind before anything is evaluated."""

import numpy as np

TYPES = {"real": 0, "log": 1, "doubling": 2, "whole": 3}
FEW_STEPS, ACTS_ON_COST = 12, 0.25
LOSS_WEIGHTS = np.array(
    [
        *[0.076, 0.298, 0.035, -0.137, 0.082, -0.015, -0.110, 1.082, -0.018, 0.665],
        *[0.374, 0.097, 0.000, 0.000, 0.000, -0.202, 0.056, -0.042, -0.132, 0.297],
        *[-0.011, 0.098, 0.397, -0.027, -0.370, 0.856],
    ]
)
FAILURE_WEIGHTS = np.array(
    [
        *[0.014, 0.002, -0.066, -0.002, -0.009, -0.011, -0.002, 0.045, 0.096, 0.013],
        *[0.024, 0.006, 0.008, 0.000, 0.000, 0.000, 0.025, 0.084, 0.007, 0.015],
        *[0.054, 0.011, 0.056, 0.048, 0.014, 0.021, 0.015],
    ]
)


def column_features(problem):
    """The place of each row in each column, and features of the rows.

    The features are sums, over the columns of one type, of powers of the place; columns that act on the cost are
    types of their own. Two more features are the cost and its square.
    """
    cost = np.log(problem["costs"])
    cost = 0.3 * (cost - cost.mean()) / (cost.std() + 1e-9)
    sums, places = np.zeros((len(TYPES), 2, 3, len(cost))), []
    for kind, values in zip(problem["kinds"], zip(*problem["rows"])):
        place = np.array(values, float)
        if kind != "category":
            place = np.log(place) if kind == "log" else place
            place = (place - place.min()) / (np.ptp(place) + 1e-12)
            few = kind == "log" and len(np.unique(place)) < FEW_STEPS
            acts = abs(np.corrcoef(place, cost)[0, 1]) > ACTS_ON_COST
            from_middle = place - 0.5
            sums[TYPES["doubling" if few else kind], int(acts)] += [from_middle, from_middle**2, from_middle**3]
        places.append(place)
    return np.array(places), np.vstack([sums.reshape(-1, len(cost)), cost, cost**2]).T
