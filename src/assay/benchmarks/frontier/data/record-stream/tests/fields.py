"""Sources of values for the fields of machine-written records. Each has `next(row)`, which returns a text."""

import string

SYLLABLES = [first + second for first in "bcdfghklmnprstvz" for second in "aeiou"]


def make_word(random):
    """A word of two or three syllables, sometimes with a last consonant."""
    return "".join(random.choices(SYLLABLES, k=random.choice((1, 2, 2, 3)))) + random.choice(["", *"nrstlk"])


def make_words(random, count):
    """Different words."""
    words = set()
    while len(words) < count:
        words.add(make_word(random))
    return random.sample(sorted(words), count)


class Counter:
    """Counts up in equal steps; sometimes it skips."""

    def __init__(self, random):
        self.random, self.value = random, random.choice((0, 1, random.randrange(10, 99_000)))
        self.step, self.width = random.choice((1, 1, 1, 2, 5, 8, 16)), random.choice((0, 0, 5, 6))
        self.skips = random.choice((0.0, 0.0, 0.1))

    def next(self, row):
        self.value += self.step * (1 + (self.random.random() < self.skips) * self.random.randrange(1, 9))
        return str(self.value).zfill(self.width)


class Clock:
    """A time that goes on by irregular steps, in one of four forms."""

    def __init__(self, random):
        self.random, self.value = random, random.randrange(1_600_000_000, 1_760_000_000) * 1000
        self.mean, self.form = 10 ** random.uniform(2.3, 4.6), random.randrange(4)

    def next(self, row):
        self.value += int(self.random.expovariate(1.0) * self.mean)
        seconds, rest = divmod(self.value, 1000)
        day, hour, minute, second = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60
        if self.form == 0:
            return f"{hour:02}:{minute:02}:{second:02}.{rest:03}"
        if self.form == 1:
            date = f"{2020 + day // 360 % 10}-{day // 30 % 12 + 1:02}-{day % 30 + 1:02}"
            return f"{date}T{hour:02}:{minute:02}:{second:02}Z"
        return str(seconds) if self.form == 2 else f"{seconds}.{rest // 10:02}"


class Walk:
    """A number that changes a little from row to row, and stays the same in some rows."""

    def __init__(self, random):
        self.random, self.digits = random, random.choice((0, 0, 1, 2, 3))
        self.value, self.step = random.uniform(20, 900), 10 ** random.uniform(-0.5, 1.2)
        self.stays = random.choice((0.0, 0.0, 0.5, 0.8))

    def next(self, row):
        if self.random.random() >= self.stays:
            self.value = abs(self.value + self.random.gauss(0.0, self.step))
        return f"{self.value:.{self.digits}f}"


class Amount:
    """Independent numbers, most of them small."""

    def __init__(self, random):
        self.random, self.scale, self.round = random, 10 ** random.uniform(0.5, 3.0), random.choice((1, 1, 5, 10))

    def next(self, row):
        return str(int(self.random.expovariate(1.0) * self.scale) // self.round * self.round)


class Choice:
    """One of some words: the next one depends on the last one."""

    def __init__(self, random, words=None):
        self.random = random
        self.words = words or random.sample(make_words(random, 12), random.randrange(2, 9))
        if words is None and random.random() < 0.3:
            self.words = [word.upper() for word in self.words]
        power = random.uniform(0.8, 2.5)
        self.rows = {
            word: [random.random() ** (2 * power) + 0.02 for _ in self.words] for word in self.words
        }
        self.value = random.choice(self.words)

    def next(self, row):
        self.value = self.random.choices(self.words, self.rows[self.value])[0]
        return self.value


class Cycle:
    """Words in turn."""

    def __init__(self, random):
        self.words, self.place = make_words(random, random.randrange(3, 8)), 0

    def next(self, row):
        self.place += 1
        return self.words[self.place % len(self.words)]


class Mapped:
    """A code that another field of the row determines."""

    def __init__(self, random, key):
        self.random, self.key, self.codes = random, key, {}
        self.alphabet, self.size = random.choice((string.digits, "0123456789abcdef")), random.randrange(2, 5)

    def next(self, row):
        if row[self.key] not in self.codes:
            self.codes[row[self.key]] = "".join(self.random.choices(self.alphabet, k=self.size))
        return self.codes[row[self.key]]


class Total:
    """The sum of two fields of the row, or of one field over all rows."""

    def __init__(self, random, keys):
        self.keys, self.runs, self.value = keys, random.random() < 0.5, 0

    def next(self, row):
        if self.runs:
            self.value += int(row[self.keys[0]])
            return str(self.value)
        return str(sum(int(row[key]) for key in self.keys))


class Fresh:
    """A new random identifier for each row; kept in `known` for references."""

    def __init__(self, random):
        self.random, self.known = random, []
        self.prefix, self.size = random.choice(("", "", make_word(random)[:2] + "-", "#")), random.randrange(3, 7)

    def next(self, row):
        self.known.append(self.prefix + "".join(self.random.choices("0123456789abcdef", k=self.size)))
        return self.known[-1]


class Reference:
    """An identifier of an earlier row, most often of a recent one."""

    def __init__(self, random, fresh):
        self.random, self.fresh, self.reach = random, fresh, random.choice((1.5, 3.0, 8.0))

    def next(self, row):
        known = self.fresh.known[:-1] or self.fresh.known or ["none"]
        return known[-1 - min(len(known) - 1, int(self.random.expovariate(1.0) * self.reach))]


class Message:
    """Sentences with places for other values."""

    def __init__(self, random):
        words, self.forms = make_words(random, 22), []
        for _ in range(random.randrange(5, 11)):
            parts = random.choices(words, k=random.randrange(3, 7))
            for place in random.sample(range(len(parts)), random.randrange(0, 3)):
                source = random.choice((Counter, Walk, Amount, Choice, Address))(random)
                parts[place] = source
                if random.random() < 0.4:
                    parts.insert(place, random.choice(words) + random.choice("=:"))
            self.forms.append(parts)
        self.kinds = Choice(random, [str(number) for number in range(len(self.forms))])

    def next(self, row):
        parts = self.forms[int(self.kinds.next(row))]
        return " ".join(part if isinstance(part, str) else part.next(row) for part in parts)


class Address:
    """An address from a small set, with a port."""

    def __init__(self, random):
        self.random, net = random, f"{random.choice((10, 172, 192))}.{random.randrange(256)}.{random.randrange(9)}."
        self.hosts = [net + str(random.randrange(1, 255)) for _ in range(random.randrange(3, 12))]
        self.ports = random.choice((None, [80, 443, 8080], [random.randrange(1024, 65536) for _ in range(3)]))

    def next(self, row):
        host = self.random.choice(self.hosts)
        return f"{host}:{self.random.choice(self.ports)}" if self.ports else host


def make_fields(random, count):
    """Names and sources of the fields of a record; some depend on fields before them."""
    names, fields, fresh = make_words(random, count), {}, None
    for name in names:
        kinds = [Counter, Clock, Walk, Walk, Amount, Amount, Choice, Choice, Choice, Cycle, Address]
        numbers = [key for key, source in fields.items() if isinstance(source, Amount)]
        choices = [key for key, source in fields.items() if isinstance(source, Choice | Cycle)]
        kinds += [Mapped] * 2 * bool(choices) + [Total] * 3 * bool(numbers) + [Reference] * 3 * bool(fresh)
        kinds += [Fresh] * 2 * (fresh is None)
        kind = random.choice(kinds)
        if kind is Mapped:
            fields[name] = Mapped(random, random.choice(choices))
        elif kind is Total:
            fields[name] = Total(random, random.sample(numbers, min(2, len(numbers))))
        elif kind is Reference:
            fields[name] = Reference(random, fresh)
        else:
            fields[name] = kind(random)
            fresh = fields[name] if kind is Fresh else fresh
    return fields


def next_row(fields):
    """The values of one record."""
    row = {}
    for name, source in fields.items():
        row[name] = source.next(row)
    return row
