"""Two optimisers over a dictionary of parameter arrays: plain momentum, and unit-wise adaptive rates."""

import numpy as np

from moments import gradient_energy, moving_average


class Momentum:
    """Follows the averaged gradient."""

    def __init__(self, parameters, slow=0.9):
        self.slow = slow
        self.averages = {name: np.zeros_like(value) for name, value in parameters.items()}

    def updates(self, gradients, step):
        """What to subtract from each parameter, at a learning rate of one."""
        for name, gradient in gradients.items():
            self.averages[name] = moving_average(self.averages[name], gradient, self.slow, step)
        return dict(self.averages)


class UnitWise:
    """Follows the averaged gradient, with a rate of its own for each unit."""

    def __init__(self, parameters, slow=0.9, slower=0.98):
        self.slow, self.slower = slow, slower
        self.averages = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.energies = {}

    def updates(self, gradients, step):
        """What to subtract from each parameter, at a learning rate of one."""
        found = {}
        for name, gradient in gradients.items():
            energy = gradient_energy(gradient)
            self.averages[name] = moving_average(self.averages[name], gradient, self.slow, step)
            past = self.energies.get(name, np.zeros_like(energy))
            self.energies[name] = moving_average(past, energy, self.slower, step)
            found[name] = direction(self.averages[name], self.energies[name])
        return found


def direction(average, energy):
    """The update of one parameter array at a learning rate of one: the paper's equations (3) and (4).

    average: the moving average of the array's gradients.
    energy: the moving average of its energies, which broadcasts against `average`.
    Returns an array of the shape of `average`.
    """
    update = average / (np.sqrt(energy) + 0.005)
    size = np.sqrt(np.mean(update**2))
    return update / max(1.0, size / 0.4)
