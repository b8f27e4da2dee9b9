"""One game of many rounds."""

from alarm import reduce_memory, listen, rings
from arms import ARMS
from explore import best, indices
from memory import estimate, take_in
from score import regret


def play(world, decay, watchful):
    """Play all rounds; returns the records of the rounds and the rounds in which an alarm rang."""
    totals, plays = [0.0] * ARMS, [0.0] * ARMS
    levels, recent = [(0.0, 0.0)] * ARMS, [-1] * ARMS
    records, alarms, running = [], [], 0.0
    for number, (means, rewards) in enumerate(zip(world.means, world.rewards)):
        values = indices(totals, plays) if min(recent) >= 0 else [float(last < 0) for last in recent]
        arm = best(values, recent)
        reward = rewards[arm]
        surprise = reward - estimate(totals[arm], plays[arm])
        levels[arm] = listen(levels[arm], surprise, plays[arm])
        totals, plays = take_in(totals, plays, arm, reward, decay)
        if watchful and rings(levels[arm]):
            totals, plays = reduce_memory(totals, plays, arm)
            levels[arm] = (0.0, 0.0)
            alarms.append((number, arm))
        recent[arm] = number
        running += regret(means, arm, reward)
        records.append((arm, reward, values[arm], max(levels[arm]), running, arm == means.index(max(means))))
    return records, alarms
