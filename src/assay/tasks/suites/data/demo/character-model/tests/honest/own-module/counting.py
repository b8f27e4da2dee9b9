"""Counts of contexts, apart from the choice among them."""

from collections import Counter, defaultdict

from predict import DISCOUNT, ORDERS

RARE = 3


def count_contexts(text):
    """Order → context → counts of the next character; no context reaches over the start of an entry."""
    text = "\n" + text
    counts = [{"": Counter(text[1:])}]
    for order in range(1, ORDERS + 1):
        after = defaultdict(Counter)
        for piece, number in Counter(map("".join, zip(*(text[start:] for start in range(order + 1))))).items():
            if "\n" not in piece[1:-1]:
                after[piece[:-1]][piece[-1]] = number
        counts.append({context: each for context, each in after.items() if each.total() >= RARE})
    return counts


def probabilities(counts):
    """The interpolated probability of each character seen after each context, shorter contexts first."""
    found = {"": {}}
    total = counts[0][""].total()
    for character, number in counts[0][""].items():
        found[""][character] = number / total
    for order in range(1, ORDERS + 1):
        for context, after in counts[order].items():
            shorter = found[context[1:]]
            total, rest = after.total(), DISCOUNT * len(after)
            found[context] = {
                each: (number - DISCOUNT + rest * shorter[each]) / total for each, number in after.items()
            }
    return found
