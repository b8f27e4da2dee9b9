"""Reads the records of a stream: tokens, fields, matches; gives contexts and guesses of the next byte."""

GUESSES = 9
KIND = [0] * 256
for place in range(256):
    letter = chr(place)
    KIND[place] = 7
    if "0" <= letter <= "9":
        KIND[place] = 1
    elif "a" <= letter <= "z":
        KIND[place] = 2
    elif "A" <= letter <= "Z":
        KIND[place] = 3
    elif place in (32, 10):
        KIND[place] = 4 if place == 32 else 5
    elif letter in ".:-,;":
        KIND[place] = 6
DIGITS, HEXADECIMAL = set(b"0123456789"), set(b"0123456789abcdef")
KIND_TABLE = bytes(KIND)


class Field:
    """What is known about one field of the records."""

    __slots__ = ("hits", "copies", "sums", "number", "is_digits", "is_hex", "last", "values", "hex_values")

    def __init__(self):
        self.hits, self.copies, self.sums = [0.0, 0.0, 0.0], {}, {}
        self.number, self.is_digits, self.is_hex = 0, True, True
        self.last, self.values, self.hex_values = [b"", b""], [0, 0], [0, 0]


def as_text(value, width, padded, form):
    """A number as bytes; none if it is negative."""
    if value < 0:
        return b""
    text = format(value, form).encode()
    return text.rjust(width, b"0") if padded else text


class Reader:
    """Reads the stream: tokens, fields, matches; gives contexts, guesses of the next byte and situations."""

    def __init__(self):
        self.past = bytearray(b"\n" * 40)
        self.line, self.before, self.before_end = 40, 40, 40
        self.tokens, self.token, self.in_token = [], b"", False
        self.place, self.shape, self.name, self.since = 0, b"", b"", 0
        self.first, self.last_first = b"", b""
        self.lengths, self.matches, self.long = [0, 0], [0, 0], [0, 0]
        self.ends = [{}, {}]
        self.prefixes, self.prefix = {}, -1
        self.fields, self.keys, self.known = [{}, {}], [None, None], [None, None]
        self.guessed = [None] * 6
        self.nibbles, self.is_dump, self.bars, self.text, self.text_start = b"", False, 0, b"", 0
        self.after_bytes = {}
        self.start_token()

    def start_token(self):
        """Guesses for a token that may start here."""
        self.keys = [(self.place, self.shape), (self.name, self.since)]
        self.known = [fields.get(key) for fields, key in zip(self.fields, self.keys, strict=True)]
        guessed = self.guessed = [None] * 6
        for number, field in enumerate(self.known):
            if field is None:
                continue
            last = field.last[0]
            if field.is_digits and field.number >= 2:
                value = 2 * field.values[0] - field.values[1]
                padded = last[0] == 48 and len(last) > 1
                guessed[2 * number] = as_text(value, len(last), padded, "d"), min(7, int(field.hits[0]))
            elif field.is_hex and field.number >= 2:
                value = 2 * field.hex_values[0] - field.hex_values[1]
                guessed[2 * number] = as_text(value, len(last), last[0] == 48, "x"), 8 + min(7, int(field.hits[1]))
            guessed[2 * number + 1] = last, min(15, int(field.hits[2]) * 2)
        if self.known[0] is not None:
            guessed[4], guessed[5] = self.guess_copy(self.known[0]), self.guess_sum(self.known[0])

    def guess_copy(self, field):
        """The token that this field repeats most often, by its distance."""
        best, score = 0, 0.5
        for distance in sorted(field.copies):
            if field.copies[distance] > score:
                best, score = distance, field.copies[distance]
        if best and len(self.tokens) >= best:
            return self.tokens[-best][0], min(15, int(score * 1.6))
        return None

    def guess_sum(self, field):
        """The sum of two numbers that this field has most often: of two tokens, or of a token and its last value."""
        best, score = None, 0.5
        for pair in sorted(field.sums):
            if field.sums[pair] > score:
                best, score = pair, field.sums[pair]
        if best is None or len(self.tokens) < max(best[1], best[0] if best[0] < 63 else 0):
            return None
        value = field.values[0] if best[0] == 63 else self.tokens[-best[0]][3]
        return str(value + self.tokens[-best[1]][3]).encode(), min(15, int(score * 1.6))

    def end_token(self):
        """Learns from a complete token."""
        token = self.token
        short = len(token) < 16
        is_digits, is_hex = short and token.isdigit(), short and all(byte in HEXADECIMAL for byte in token)
        value, hex_value = int(token) if is_digits else 0, int(token, 16) if is_hex else 0
        entry = token, is_digits, is_hex, value
        for number in range(2):
            field = self.fields[number].setdefault(self.keys[number], None) or Field()
            self.fields[number][self.keys[number]] = field
            if number == 0:
                self.learn_relations(field, entry)
            if field.number >= 2:
                for kind, usable, values, now in (
                    (0, is_digits and field.is_digits, field.values, value),
                    (1, is_hex and field.is_hex, field.hex_values, hex_value),
                ):
                    if usable:
                        field.hits[kind] = 0.8 * field.hits[kind] + 1.6 * (2 * values[0] - values[1] == now)
            if field.number >= 1:
                field.hits[2] = 0.8 * field.hits[2] + 1.6 * (field.last[0] == token)
            field.is_digits, field.is_hex = is_digits and field.is_digits, is_hex and field.is_hex
            field.values, field.hex_values = [value, field.values[0]], [hex_value, field.hex_values[0]]
            field.last = [token, field.last[0]]
            field.number += 1
        self.tokens.append(entry)
        if len(self.tokens) > 60:
            del self.tokens[:30]
        if is_digits or (is_hex and len(token) > 2):
            self.since += 1
        else:
            self.name, self.since = token, 0
        if self.place == 0:
            self.first = token
        self.place += 1

    def learn_relations(self, field, entry):
        """Which earlier tokens are equal to this one, and which sums are."""
        token, is_digits, _, value = entry
        tokens, copies, sums = self.tokens, field.copies, field.sums
        for distance in copies:
            copies[distance] *= 0.85
        for distance in range(1, min(len(tokens), 24) + 1):
            if tokens[-distance][0] == token:
                copies[distance] = copies.get(distance, 0.0) + 1
        for pair in sums:
            sums[pair] *= 0.8
        if not is_digits or len(token) >= 12 or value <= 0:
            return
        numbers = [(place, tokens[-place][3]) for place in range(1, min(len(tokens), 10) + 1) if tokens[-place][1]]
        for place, one in numbers:
            if field.number >= 1 and field.is_digits and one and field.values[0] + one == value:
                sums[63, place] = sums.get((63, place), 0.0) + 1
            for other, two in numbers:
                if other > place and one + two == value:
                    sums[place, other] = sums.get((place, other), 0.0) + 1

    def compare(self, field):
        """The next character of the field's last value, and how the token and the last two values differ."""
        if field is None:
            return 0, 0
        token, last, older = self.token, field.last[0], field.last[1]
        offset = len(token)
        same = offset
        if not last.startswith(token):
            same = next(i for i in range(offset) if i >= len(last) or last[i] != token[i])
        if same == offset:
            state = 1
        elif same < len(last) and last[same] < token[same]:
            state = 2 if offset - same == 1 else 3
        else:
            state = 4
        if field.number >= 2:
            size = min(len(last), len(older))
            equal = next((i for i in range(size) if last[i] != older[i]), size)
            state = state * 16 + min(15, max(0, 8 + equal - offset))
        return last[offset] if offset < len(last) else 1, state

    def contexts(self):
        """The keys of all contexts, and the characters above."""
        past, token, name = self.past, self.token, self.name
        size, one, two = len(past), past[-1], past[-2]
        column, offset = size - self.line, len(token)
        above = past[self.before + column] if self.before + column < self.before_end else 10
        next_above = past[self.before + column + 1] if self.before + column + 1 < self.before_end else 10
        field, named = self.keys
        (char, state), (named_char, named_state) = self.compare(self.known[0]), self.compare(self.known[1])
        last, older = self.known[0].last if self.known[0] else (b"", b"")
        named_last = self.known[1].last[0] if self.known[1] else b""
        texts = [entry[0] for entry in self.tokens[-3:]]
        first, second, third = (*reversed(texts), *([b""] * (3 - len(texts))))
        tail = bytes(past[-10:])
        kinds = tail.translate(KIND_TABLE)
        dump = self.is_dump and not self.bars
        if dump:
            nibbles = self.nibbles
            special = [(1, nibbles[-2:]), (1, nibbles[-4:]), (1, nibbles[-6:]), (1, nibbles[-3:])]
        else:
            special = [
                (self.last_first, self.place, token),
                (one, two, past[-4]),
                (name, token),
                (self.first, self.place, token),
            ]
        return [
            0, one, tail[-2:], tail[-3:], tail[-4:], tail[-5:], tail[-6:], tail[-8:],
            token, (token, one, first), (token, one, first, second), (field, token), (named, token),
            (field, token, first), (field, token, second), (field, token, third),
            (field, char, state), (named, named_char, named_state), (char, state, offset), (field, offset, last, token),
            (column, above, dump), (above, next_above, one), (above, one, self.place), (kinds, self.place),
            (self.shape, offset, one), *special,
            (tail[-3:], named), (named, named_last, token), (field, last, older, token),
        ], above  # fmt: skip

    def guesses(self):
        """Guesses of the next byte with the situation of each: none, or the byte and a number."""
        past, offset = self.past, len(self.token)
        found = [None] * GUESSES
        for number in range(2):
            if self.lengths[number]:
                found[number] = past[self.matches[number]], min(self.lengths[number], 15) + 16 * self.long[number]
        if self.prefix >= 0:
            found[2] = past[self.prefix], min(offset, 15)
        stage = (0, 1, 2, 2)[offset] if offset < 4 else 3
        for number, guess in enumerate(self.guessed):
            if guess and offset < len(guess[0]):
                found[3 + number] = guess[0][offset], guess[1] * 4 + stage
        if self.is_dump and self.bars == 1:
            place = len(past) - self.line - self.text_start
            found[2] = self.text[place] if place < len(self.text) else 124, 16
        if self.is_dump and not self.bars and self.in_token:
            odd = len(self.nibbles) % 2
            entry = self.after_bytes.get(self.nibbles[-4 - odd : len(self.nibbles) - odd])
            if entry and entry[2] >= 2:
                text = b"%02x" % (2 * entry[0] - entry[1] & 255)
                if not odd or self.nibbles[-1] == text[0]:
                    found[7] = text[odd], 48 + min(entry[2], 7) + 8 * odd
        return found

    def update(self, byte):
        """Reads one byte."""
        past = self.past
        for number in range(2):
            if self.lengths[number]:
                if past[self.matches[number]] == byte:
                    self.lengths[number] += 1
                    self.matches[number] += 1
                    self.long[number] = min(3, self.long[number] + (self.lengths[number] % 16 == 0))
                else:
                    self.lengths[number] = self.long[number] = 0
        past.append(byte)
        for number, shortest in enumerate((7, 4)):
            self.find_match(number, shortest)
        if KIND[byte] <= 3:
            self.update_token(byte)
        else:
            self.update_mark(byte)

    def find_match(self, number, shortest):
        """The last place with the same bytes before it."""
        past, size = self.past, len(self.past)
        key, ends = bytes(past[-shortest:]), self.ends[number]
        if not self.lengths[number] and key in ends:
            match, length = ends[key], shortest
            while length < 32 and match - length - 1 >= 0 and past[match - length - 1] == past[size - length - 1]:
                length += 1
            self.lengths[number], self.matches[number] = length, match
        ends[key] = size

    def update_token(self, byte):
        """Reads a letter or a digit."""
        offset = len(self.token)
        for number, guess in enumerate(self.guessed):
            if guess and not (offset < len(guess[0]) and guess[0][offset] == byte):
                self.guessed[number] = None
        self.in_token = True
        self.token += bytes((byte,))
        self.prefix = self.prefixes.get(self.token, -1)
        self.prefixes[self.token] = len(self.past)
        if self.is_dump and not self.bars and byte in HEXADECIMAL and len(self.past) - self.line > 10:
            self.nibbles += bytes((byte,))
            if len(self.nibbles) % 2 == 0 and len(self.nibbles) >= 6:
                entry = self.after_bytes.setdefault(self.nibbles[-6:-2], [0, 0, 0])
                entry[:] = int(self.nibbles[-2:], 16), entry[0], entry[2] + 1

    def update_mark(self, byte):
        """Reads anything else."""
        if self.in_token:
            self.end_token()
        self.in_token, self.token, self.prefix = False, b"", -1
        self.shape += bytes((byte,))
        size, past = len(self.past) - self.line, self.past
        if byte == 124 and self.is_dump:
            self.bars += 1
            self.text_start = size
            digits = bytes(each for each in past[self.line + 8 : -1] if each in HEXADECIMAL)
            values = [int(digits[place : place + 2], 16) for place in range(0, len(digits) - 1, 2)]
            self.text = bytes(value if 32 <= value < 127 else 46 for value in values)
        if size == 10 and byte == 32 and past[-2] == 32:
            self.is_dump = all(each in HEXADECIMAL for each in past[self.line : self.line + 8])
        if byte == 10:
            self.before, self.before_end, self.line = self.line, len(past), len(past)
            self.place, self.shape, self.last_first = 0, b"", self.first
            self.is_dump, self.bars = False, 0
            self.since += 1
        self.start_token()
