"""Intervals that know which attempts belong together: tasks made from one paper stand or fall together.

The bootstrap has two levels, papers and attempts: papers are drawn with replacement, whole, and within each
drawn paper the attempts at each task are drawn again. The interval is the percentile one; BCa's acceleration
is not defined for two levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from assay.scoring.logs.attempts import Attempt
from assay.scoring.statistics.rates import interval
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Strict

if TYPE_CHECKING:
    import numpy as np

    Draws = np.ndarray[tuple[int, int], np.dtype[np.int64]]
    Sums = np.ndarray[tuple[int], np.dtype[np.float64]]

REPLICATES = 2000
SEED = 20250

ClusterMethod = Literal["percentile", "no-spread", "undefined"]
"""Bootstrap percentiles; where every attempt came out alike and a bootstrap would say ± 0, Wilson's interval
with papers as the trials; and nothing where there is one paper, which cannot say how papers differ."""


class Clustered(Strict):
    """The interval of a rate when attempts of one paper are not independent."""

    clusters: int
    """Different papers (for masked tasks) or tasks (for the others)."""
    low: float | None
    high: float | None
    """The 95% interval of passed / attempts."""
    standard_error: float | None
    """The standard error of the rate."""
    design_effect: float | None
    """How many times the variance is that of independent attempts; None where that one is zero."""
    method: ClusterMethod
    """How the interval was computed."""


@dataclass(frozen=True)
class Cell:
    """The attempts at tasks of one cluster that came out alike."""

    cluster: str
    attempts: int
    passed: int


def cluster_of(attempt: Attempt) -> str:
    """The paper of a masked task (`paper_functions`), or else the task itself."""
    name = attempt.task.partition("_")[0] if attempt.kind == MASKED else attempt.task
    return f"{attempt.suite}/{name}"


def cells_of(attempts: Iterable[Attempt]) -> list[Cell]:
    """Attempts counted by task; what is unknown counts as an attempt that did not pass.

    Tasks of one cluster with the same counts are one cell: drawing their attempts again is the same binomial.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for attempt in attempts:
        cell = counts.setdefault((cluster_of(attempt), attempt.task), [0, 0])
        cell[0] += 1
        cell[1] += attempt.passed is True
    alike = Counter(
        (cluster, attempts_made, passed) for (cluster, _), (attempts_made, passed) in counts.items()
    )
    return [
        Cell(cluster, attempts_made * tasks, passed * tasks)
        for (cluster, attempts_made, passed), tasks in alike.items()
    ]


def clustered(
    attempts: Iterable[Attempt], *, replicates: int = REPLICATES, seed: int = SEED
) -> Clustered | None:
    """The clustered interval of the rate of some attempts; None where there are none."""
    cells = cells_of(attempts)
    if not cells:
        return None
    count = len({cell.cluster for cell in cells})
    attempts_made, passed = sum(cell.attempts for cell in cells), sum(cell.passed for cell in cells)
    if count == 1:
        return _card(count, (None, None), None, None, "undefined")
    if passed in (0, attempts_made):
        return _card(count, interval(count if passed else 0, count), 0.0, None, "no-spread")
    import numpy as np

    place = {name: number for number, name in enumerate(dict.fromkeys(cell.cluster for cell in cells))}
    columns = [place[cell.cluster] for cell in cells]
    draws = draw_clusters(count, replicates, seed)
    made = np.bincount(columns, weights=[cell.attempts for cell in cells])
    rates = _passed_again(cells, columns, draws, seed) / (draws @ made)
    low, high = (float(bound) for bound in np.quantile(rates, [0.025, 0.975]))
    variance, share = float(rates.var(ddof=1)), passed / attempts_made
    effect = variance / (share * (1 - share) / attempts_made)
    return _card(count, (min(low, share), max(high, share)), variance**0.5, effect, "percentile")


def _passed_again(cells: Sequence[Cell], columns: Sequence[int], draws: Draws, seed: int) -> Sums:
    """Passed attempts in each replicate; only tasks that both passed and failed have anything to draw."""
    import numpy as np

    passed = np.array([cell.passed for cell in cells])
    attempts_made = np.array([cell.attempts for cell in cells])
    mixed = (passed > 0) & (passed < attempts_made)
    certain = np.bincount(columns, weights=np.where(mixed, 0, passed), minlength=draws.shape[1])
    total: Sums = np.asarray(draws @ certain, dtype=np.float64)
    if mixed.any():
        generator = np.random.default_rng((seed, 1))
        shares = passed[mixed] / attempts_made[mixed]
        drawn = draws[:, np.array(columns)[mixed]]
        total += generator.binomial(drawn * attempts_made[mixed], shares).sum(axis=1)
    return total


def draw(cells: Sequence[Cell], replicates: int, seed: int) -> Draws:
    """How often each cell's cluster is drawn in each replicate; clusters are drawn with replacement."""
    place = {name: number for number, name in enumerate(dict.fromkeys(cell.cluster for cell in cells))}
    counts = draw_clusters(len(place), replicates, seed)
    columns = [place[cell.cluster] for cell in cells]
    return counts if columns == list(range(len(place))) else counts[:, columns]


def cluster_sums(values: Sequence[float], clusters: Sequence[str]) -> tuple[Sums, Sums]:
    """The sum of the values of each cluster and how many it has, in the order in which clusters come."""
    import numpy as np

    place = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    columns = [place[name] for name in clusters]
    sums = np.bincount(columns, weights=values).astype(np.float64)
    return sums, np.bincount(columns).astype(np.float64)


@lru_cache(maxsize=4)
def draw_clusters(count: int, replicates: int, seed: int) -> Draws:
    """How often each of some clusters is drawn in each replicate.

    The draws depend on nothing but how many clusters there are, and agents share their tasks.
    """
    import numpy as np

    generator = np.random.default_rng((seed, 0))
    draws: Draws = generator.multinomial(count, [1 / count] * count, size=replicates)
    draws.flags.writeable = False
    return draws


def _card(
    clusters: int,
    bounds: tuple[float | None, float | None],
    error: float | None,
    effect: float | None,
    method: ClusterMethod,
) -> Clustered:
    return Clustered(
        clusters=clusters,
        low=bounds[0],
        high=bounds[1],
        standard_error=error,
        design_effect=effect,
        method=method,
    )
