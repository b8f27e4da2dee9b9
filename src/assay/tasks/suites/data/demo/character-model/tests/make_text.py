"""Writes the texts of this task: `python make_text.py WORKSPACE_FOLDER TESTS_FOLDER`.

The text is ours: a seeded grammar writes the log of a harbour office. What can be learned from it: spelling,
agreement of number, sums, the run of the weather, and names that are invented for one entry and come back in it.
"""

import json
import random
import sys
from pathlib import Path

TRAINING_SEED, HIDDEN_SEED = 1913, 40427
TRAINING_ENTRIES, HIDDEN_ENTRIES = 220, 40

ONSETS = "b br c d dr f g gr h k l m n p r s st t tr v w".split()
VOWELS = "a e i o u ai ea".split()
ENDINGS = "l m n nd r rt s th x".split()
TAILS = "an ey ford is mouth ton wick".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
WEATHER = {
    "calm": ["calm", "calm", "hazy", "breezy"],
    "hazy": ["calm", "hazy", "foggy", "foggy"],
    "foggy": ["hazy", "foggy", "breezy"],
    "breezy": ["calm", "breezy", "rough"],
    "rough": ["rough", "breezy", "stormy"],
    "stormy": ["rough", "rough", "stormy"],
}
CARGO = {
    "barrel": ["herring", "tar", "salt", "cider", "lamp oil"],
    "crate": ["oranges", "glass", "tools", "candles", "tea"],
    "sack": ["barley", "coal", "wool", "flour", "onions"],
    "coil": ["rope", "copper wire", "chain"],
}
CRAFT = ["the schooner", "the steamer", "the ketch", "the barge", "the cutter", "the old trawler"]
ROLES = ["the mate", "the pilot", "the customs clerk", "the harbour master", "the cook"]
WINDS = ["north", "south", "east", "west", "north-east", "south-west"]
NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
REPAIRS = ["a torn sail", "a cracked mast", "the pump", "the rudder chain", "an iron hinge", "the anchor winch"]
REASONS = ["because the tide was late", "since the crane stood idle", "until the lamps were lit",
           "while the bell rang for the ferry", "as the quay was full"]


class Writer:
    """Writes one entry after another; only the weather lasts from entry to entry."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.weather = "calm"

    def pick(self, items):
        return self.random.choice(items)

    def name(self, tail=False):
        word = self.pick(ONSETS) + self.pick(VOWELS) + self.pick(ENDINGS)
        if self.random.random() < 0.4:
            word += self.pick(VOWELS[:5]) + self.pick(ENDINGS)
        return (word + (self.pick(TAILS) if tail else "")).capitalize()

    def entry(self):
        """One day in the log."""
        self.ship, self.captain, self.port = self.name(), self.name(), self.name(tail=True)
        self.unit = self.pick(list(CARGO))
        self.goods = self.pick(CARGO[self.unit])
        self.craft, self.day = self.pick(CRAFT), self.pick(DAYS)
        self.weather = self.pick(WEATHER[self.weather])
        opening = f"{self.day}. The sea is {self.weather} and the wind comes from the {self.pick(WINDS)}."
        arrival = f"{self.craft.capitalize()} {self.ship} came in from {self.port} under Captain {self.captain}"
        arrival += f", {self.count(self.random.randint(2, 12))} of {self.goods} on board."
        sentences = [self.landing, self.saying, self.repair, self.delay, self.dues, self.sight]
        self.random.shuffle(sentences)
        return " ".join([opening, arrival, *(write() for write in sentences[:5]), self.closing()])

    def count(self, number):
        return f"{NUMBERS[number]} {self.unit}{'' if number == 1 else 's'}"

    def landing(self):
        first, second = self.random.randint(1, 6), self.random.randint(1, 6)
        return f"We landed {self.count(first)} and then {self.count(second)}, {NUMBERS[first + second]} in all."

    def saying(self):
        what = self.pick([f"that {self.port} was {self.pick(list(WEATHER))} when they left",
                          f"that the {self.goods} must be kept dry",
                          f"that {self.captain} would sail again on {self.pick(DAYS)}"])
        return f"{self.pick(ROLES).capitalize()} of the {self.ship} said {what}."

    def repair(self):
        many = self.random.random() < 0.5
        who = "The smiths have" if many else "The smith has"
        return f"{who} mended {self.pick(REPAIRS)} for {self.captain}{', and were paid' if many else ', and was paid'}."

    def delay(self):
        return f"The {self.unit}s of {self.goods} waited on the quay {self.pick(REASONS)}."

    def dues(self):
        each, number = self.random.randint(2, 4), self.random.randint(2, 9)
        return f"Dues for {number} {self.unit}s at {each} pence: {each * number} pence, paid by {self.captain}."

    def sight(self):
        bird = self.pick(["gull", "heron", "seal", "cormorant"])
        return f"{self.pick(['A', 'One'])} {bird} was seen off the {self.pick(WINDS)} mole, as on {self.day} last."

    def closing(self):
        if self.weather in ("rough", "stormy"):
            return f"The {self.ship} stays in, for it is too {self.weather} to sail."
        return f"The {self.ship} sails for {self.port} with the {self.pick(['morning', 'evening'])} tide."


def main(workspace, tests):
    training, hidden = Writer(TRAINING_SEED), Writer(HIDDEN_SEED)
    text = "\n".join(training.entry() for _ in range(TRAINING_ENTRIES)) + "\n"
    passages = [hidden.entry() + "\n" for _ in range(HIDDEN_ENTRIES)]
    alphabet = "".join(sorted(set(text)))
    assert set("".join(passages)) <= set(alphabet)
    (workspace / "training.txt").write_text(text)
    (workspace / "alphabet.json").write_text(json.dumps(alphabet) + "\n")
    (tests / "alphabet.json").write_text(json.dumps(alphabet) + "\n")
    (tests / "hidden.json").write_text(json.dumps(passages, indent=0) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
