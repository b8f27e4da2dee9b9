"""Cars on a ring, step by step."""

from body import moved, perceived, softened
from driver import push, wanted_gap
from road import LENGTH, limit_at

CAR = 4.5


def drive(cars, steps, step, parts, source):
    """Speeds of all cars at every step, pushes, and gaps at the end; `parts` says which parts are used."""
    spacing = LENGTH / cars
    places = [number * spacing + source.uniform(-0.25, 0.25) * spacing for number in range(cars)]
    speeds = [source.uniform(0, 9) for _ in range(cars)]
    forces = [0.0] * cars
    gap_history, closing_history = [[] for _ in range(cars)], [[] for _ in range(cars)]
    all_speeds, all_forces = [], []
    for _ in range(steps):
        fresh = []
        for car in range(cars):
            ahead = (car + 1) % cars
            gap = max(0.5, (places[ahead] - places[car]) % LENGTH - CAR)
            closing = speeds[car] - speeds[ahead]
            gap_history[car].append(gap)
            closing_history[car].append(closing)
            if "eyes" in parts:
                gap, closing = perceived(gap_history[car]), perceived(closing_history[car])
            limit = limit_at(places[car] % LENGTH) if "zone" in parts else 14.0
            force = push(speeds[car], limit, wanted_gap(speeds[car], closing), gap)
            fresh.append(softened(force, forces[car], step) if "comfort" in parts else max(-8.0, force))
        forces = fresh
        pairs = [moved(place, speed, force, step) for place, speed, force in zip(places, speeds, forces)]
        places, speeds = [place for place, _ in pairs], [speed for _, speed in pairs]
        all_speeds.append(speeds)
        all_forces.append(forces)
    return all_speeds, all_forces, [(places[(car + 1) % cars] - places[car]) % LENGTH - CAR for car in range(cars)]
