"""Compares kernels within machines and states; what effects, noises and cold starts have in common is learnt.

Given the effects of the kernel and of the cold state the machines are independent: the level of a machine is
integrated out exactly, and its noise on a grid. The noises of a study follow one of several lognormal laws.
Expectation-maximisation finds from all studies how often each law holds, and the laws of both effects.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 3.0
NOISES = np.linspace(np.log(0.12), np.log(80.0), 36)
"""Logarithms of the standard deviation of the times of a machine."""
CENTRES = np.log(4.0) + np.linspace(-0.4, 0.4, 5)
SPREADS = (0.15, 0.3, 0.6, 0.9, 1.2)
LAWS = [(centre, spread) for centre in CENTRES for spread in SPREADS]
"""Mean and standard deviation of the laws of the noises."""
FIRST_EFFECT = (0.0, 5.5)
FIRST_COLD = (11.5, 3.0)
"""Mean and standard deviation of both effects before the studies are seen."""
ALONG = np.linspace(-7.5, 7.5, 51)
ACROSS = np.linspace(-4.5, 4.5, 11)
"""The places of both effects, in standard errors of a first fit."""
EFFECTS = np.linspace(-15.0, 15.0, 601)
"""The places of the effect of the kernel at which its law is learnt."""
ROUNDS = 30
WIDTH = 0.2
"""How far the law of the effect is smoothed when there are many studies."""
FEW = 16.0
MORE_WIDTH = 1.0
WIDEST = 10.0
"""With so few studies the law is smoothed by this much more; at most by so many times more."""
BELIEF = 4.0
"""How many studies the first laws count for."""

Rows = list[dict[str, str]]
Found = tuple[float, float, float]
Normal = tuple[float, float]


@dataclass
class Surface:
    """Effects of the kernel and of the cold state, and the likelihood of both for each law of the noises."""

    effects: np.ndarray
    colds: np.ndarray
    likelihood: np.ndarray


def products_of(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """For each machine the sums of products of kernel, state and seconds within it, and its runs less one."""
    columns = [(row["kernel"] == "new", row["state"] == "cold", float(row["seconds"])) for row in rows]
    table, names = np.array(columns, dtype=float), np.array([row["machine"] for row in rows])
    products, freedom = [], []
    for name in sorted(set(names)):
        own = table[names == name]
        apart = own - own.mean(axis=0)
        products.append(apart.T @ apart)
        freedom.append(len(own) - 1)
    return np.array(products), np.array(freedom)


def can_tell(products: np.ndarray) -> bool:
    """Whether kernels differ within machines and states."""
    (kernel, both), (_, state) = products.sum(axis=0)[:2, :2]
    return bool(kernel - (both**2 / state if state > 1e-9 else 0.0) > 1e-6)


def first_fit(products: np.ndarray, freedom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both effects and their covariance; the variance of each machine is drawn towards the usual one."""
    precision = np.diag([FIRST_EFFECT[1] ** -2, FIRST_COLD[1] ** -2])
    centre = np.array([FIRST_EFFECT[0], FIRST_COLD[0]])
    variances = np.full(len(products), 16.0)
    for _ in range(15):
        total = (products / variances[:, None, None]).sum(axis=0)
        covariance = np.linalg.inv(total[:2, :2] + precision)
        means = covariance @ (total[:2, 2] + precision @ centre)
        weights = np.append(means, -1.0)
        variances = (np.einsum("i,mij,j->m", weights, products, weights) + 20.0) / (freedom + 2)
    return means, covariance


def surface_of(products: np.ndarray, freedom: np.ndarray) -> Surface:
    """The likelihood around the first fit."""
    means, covariance = first_fit(products, freedom)
    slope = covariance[0, 1] / covariance[0, 0]
    rest = np.sqrt(max(covariance[1, 1] - slope * covariance[0, 1], 1e-8))
    effects = means[0] + 1.15 * np.sqrt(covariance[0, 0]) * ALONG
    colds = means[1] + slope * (effects - means[0])[:, None] + 1.3 * rest * ACROSS
    pairs = np.stack([np.repeat(effects, len(ACROSS)), colds.ravel(), np.full(colds.size, -1.0)], axis=1)
    seen = freedom > 0
    squares = np.maximum(np.einsum("pi,mij,pj->mp", pairs, products[seen], pairs, optimize=True), 1e-9)
    logs = -freedom[seen, None, None] * NOISES - 0.5 * squares[:, :, None] * np.exp(-2.0 * NOISES)
    top = logs.max(axis=(1, 2), keepdims=True)
    laws = np.array([np.exp(-0.5 * ((NOISES - centre) / spread) ** 2) for centre, spread in LAWS])
    laws /= laws.sum(axis=1, keepdims=True)
    fits = np.log(np.exp(logs - top) @ laws.T + 1e-300).sum(axis=0)
    likelihood = np.exp(fits - fits.max()).reshape(len(ALONG), len(ACROSS), len(LAWS))
    return Surface(effects, colds, likelihood)


def density(values: np.ndarray, law: Normal) -> np.ndarray:
    """The density of a normal law, up to a factor."""
    found: np.ndarray = np.exp(-0.5 * ((values - law[0]) / law[1]) ** 2)
    return found


def normal_of(values: np.ndarray, weights: np.ndarray, first: Normal) -> Normal:
    """The normal law of weighted values, drawn a little towards the first one."""
    total = weights.sum() + BELIEF
    mean = ((weights * values).sum() + BELIEF * first[0]) / total
    variance = ((weights * (values - mean) ** 2).sum() + BELIEF * first[1] ** 2) / total
    return float(mean), float(np.sqrt(variance))


def learn_noises(surfaces: list[Surface]) -> tuple[np.ndarray, Normal]:
    """The likelihood of the effect of the kernel in each study, with the learnt laws of noise and cold state.

    The second part is the normal law that is nearest to that of the effects of the kernel.
    """
    effects = np.array([surface.effects for surface in surfaces])[:, :, None]
    colds = np.array([surface.colds for surface in surfaces])
    likelihood = np.array([surface.likelihood for surface in surfaces])
    effect_law, cold_law, shares = FIRST_EFFECT, FIRST_COLD, np.full(len(LAWS), 1.0 / len(LAWS))
    for _ in range(ROUNDS):
        prior = density(colds, cold_law) * density(effects, effect_law)
        weights = likelihood @ shares * prior
        total = weights.sum(axis=(1, 2), keepdims=True)
        counts = np.tensordot(prior / total, likelihood, 3) * shares
        weights = weights / total
        cold_law = normal_of(colds, weights, FIRST_COLD)
        effect_law = normal_of(effects[:, :, 0], weights.sum(axis=2), FIRST_EFFECT)
        shares = (counts + BELIEF / len(LAWS)) / (len(surfaces) + BELIEF)
    return (likelihood @ shares * density(colds, cold_law)).sum(axis=2), effect_law


def on_common_places(effects: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """The likelihood of one study at the places that all studies share."""
    logs = np.interp(EFFECTS, effects, np.log(likelihood + 1e-300), left=-690.0, right=-690.0)
    found: np.ndarray = np.exp(logs - logs.max())
    return found


def learn_effects(likelihoods: np.ndarray, effect_law: Normal) -> np.ndarray:
    """The law of the effects of the kernel in free form, drawn a little towards the normal one."""
    first = density(EFFECTS, effect_law) / density(EFFECTS, effect_law).sum()
    width = WIDTH + MORE_WIDTH * min((FEW / len(likelihoods)) ** 2, WIDEST)
    near = density(EFFECTS[:, None] - EFFECTS, (0.0, width))
    spread = near / near.sum(axis=0)
    law = first
    for _ in range(ROUNDS):
        counts = (1.0 / (likelihoods @ law)) @ likelihoods * law
        law = (spread @ counts + BELIEF * first) / (len(likelihoods) + BELIEF)
    return law


def summary_of(weights: np.ndarray) -> Found:
    """Mean and central 95% of the effect, from the weights of its places."""
    shares = weights / weights.sum()
    low, high = np.interp((0.025, 0.975), np.cumsum(shares) - shares / 2, EFFECTS)
    return float(shares @ EFFECTS), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found | None]:
    """The posterior mean and interval of each study's number; None where kernels cannot be told apart."""
    found: dict[str, Found | None] = dict.fromkeys(studies)
    sums = {name: products_of(rows) for name, rows in studies.items()}
    surfaces = {name: surface_of(*own) for name, own in sums.items() if can_tell(own[0])}
    if not surfaces:
        return found
    marginal, effect_law = learn_noises(list(surfaces.values()))
    pairs = zip(surfaces.values(), marginal, strict=True)
    likelihoods = np.array([on_common_places(surface.effects, own) for surface, own in pairs])
    posterior = likelihoods * learn_effects(likelihoods, effect_law)
    return found | {name: summary_of(weights) for name, weights in zip(surfaces, posterior, strict=True)}
