"""Reads lines of text: fields, tokens, relations between fields, and guesses of the token that comes next."""

from collections import Counter, deque

from helpers import CHARACTERS, parse, write

LEVELS = {"DEBUG", "INFO", "WARN", "ERROR", "TRACE", "FATAL", "NOTICE", "CRIT"}
JSON, COLUMNS, EVENTS, TAGS, TABLE, LOG_LINES, UNKNOWN = 0, 1, 2, 4, 5, 6, 7
"""Kinds of streams, found from the first character and the first line."""
GUESSES = 9
"""Guesses of a token: last value, value before it, same step again, most usual step, sum with another field, copy of
another field, function of another field, state of the entity, second most usual step."""


class Reader:
    """The structure of the stream so far."""

    def __init__(self):
        self.count, self.symbols, self.history = 0, [], "\n" * 12
        self.kind, self.line_number = UNKNOWN, 0
        self.line = self.line_before = ""
        self.tokens, self.tokens_before, self.last_tokens = [], [], ["", "", ""]
        self.begun, self.separator = "", "\n"
        self.words, self.after_words = (), 0
        self.first = self.first_before = ""
        self.key = self.since_key = self.tag = self.entity = ""
        self.values, self.numbers, self.ends = {}, {}, {}
        self.recent = deque(maxlen=24)
        self.copies, self.sums, self.functions, self.function_hits = {}, {}, {}, {}
        self.states, self.first_states = {}, Counter()
        self.places, self.match_at, self.match_length = ({}, {}), [0, 0], [0, 0]
        self.find_field()
        self.guess()

    def find_field(self):
        """Names the field that the next token belongs to."""
        kind, place = self.kind, len(self.tokens)
        if kind == JSON:
            field = (self.key, self.since_key[-6:])
        elif kind == COLUMNS:
            field = (self.line,)
        elif kind == EVENTS:
            field = (self.first, place, self.separator[-1:])
        elif kind == TAGS:
            field = (self.tag, self.key, self.since_key[-5:])
        elif kind == LOG_LINES:
            field = (self.words, self.after_words if self.words else place, self.separator[-2:])
        else:
            field = (place, self.separator[-1:])
        self.field = self.number_field = field
        if kind == JSON and "[" in self.since_key and "]" not in self.since_key:
            self.number_field = (self.key, "[")

    def guess(self):
        """Guesses the whole token that may start here."""
        self.guesses = [None] * GUESSES
        values = self.values.get(self.field)
        if values:
            self.guesses[0] = values[-1]
            if len(values) > 1:
                self.guesses[1] = values[-2]
        self.number_values = self.numbers.get(self.number_field)
        if self.number_values:
            self.guess_number(self.number_values)
        copies = self.copies.get(self.field)
        if copies:
            other, lag = max(copies, key=copies.get)
            values = self.values.get(other)
            if values and len(values) > lag:
                self.guesses[5] = values[-1 - lag]
        hits = self.function_hits.get(self.field)
        if hits:
            other = max(hits, key=hits.get)
            values = self.values.get(other)
            if values:
                self.guesses[6] = self.functions.get((self.field, other, values[-1]))
        if self.kind == EVENTS and self.entity:
            self.guesses[7] = self.states.get(self.entity)
            if self.guesses[7] is None and self.first_states:
                self.guesses[7] = self.first_states.most_common(1)[0][0]

    def guess_number(self, numbers):
        """Guesses a number from the numbers of its field."""
        value, form = numbers[-1]
        self.steps = []
        if len(numbers) > 1:
            self.guesses[2] = write(value + value - numbers[-2][0], form)
            start = max(0, len(numbers) - 24)
            self.steps = [numbers[i + 1][0] - numbers[i][0] for i in range(start, len(numbers) - 1)]
            usual = Counter(self.steps).most_common(2)
            self.guesses[3] = write(value + usual[0][0], form)
            if len(usual) > 1:
                self.guesses[8] = write(value + usual[1][0], form)
        sums = self.sums.get(self.number_field)
        if sums:
            others = self.numbers.get(max(sums, key=sums.get))
            if others and others[-1][1][:2] == form[:2]:
                self.guesses[4] = write(value + others[-1][0], form)

    def end_token(self, following):
        """Learns from a complete token."""
        token, field = self.begun, self.field
        is_word = token[0].isalpha() and not any(c.isdigit() for c in token)
        number = parse(token) if token[0].isdigit() else None
        self.learn_copies(token, field)
        self.learn_functions(token, field)
        if number:
            self.learn_number(number)
        self.values.setdefault(field, []).append(token)
        self.ends[self.number_field] = following
        self.recent.append((self.number_field if number else field, token, number))
        if number and self.number_field != field:
            self.values.setdefault(self.number_field, []).append(token)
        if self.kind == EVENTS:
            self.learn_entity(token, is_word, following)
        self.tokens.append(token)
        if is_word and token not in LEVELS:
            self.words = (*self.words, token)
            self.after_words = 0
        else:
            self.after_words += 1
        if is_word and not self.first:
            self.first = token
        self.last_tokens = [token, *self.last_tokens[:2]]
        if self.separator.endswith(("<", "</")):
            self.tag, self.key, self.since_key = token, "", ""

    def learn_copies(self, token, field):
        """Learns from which other field the field is copied."""
        copies = self.copies.setdefault(field, {})
        for key in copies:
            copies[key] *= 0.9
        for other in dict.fromkeys(other for other, _, _ in self.recent if other != field):
            values = self.values[other]
            if values[-1] == token:
                copies[other, 0] = copies.get((other, 0), 0) + 1
            if len(values) > 1 and values[-2] == token:
                copies[other, 1] = copies.get((other, 1), 0) + 0.9

    def learn_functions(self, token, field):
        """Learns which other field decides the value of the field."""
        hits = self.function_hits.setdefault(field, {})
        for other, text, _ in list(reversed(self.recent))[:13]:
            if other == field:
                continue
            expected = self.functions.get((field, other, text))
            if expected is not None:
                hits[other] = hits.get(other, 0.5) * 0.85 + (0.15 if expected == token else 0)
            self.functions[field, other, text] = token

    def learn_number(self, number):
        """Learns which other field is the step of a number."""
        field, (value, form) = self.number_field, number
        before = self.numbers.setdefault(field, [])
        if before and before[-1][1][:2] == form[:2]:
            sums = self.sums.setdefault(field, {})
            step = value - before[-1][0]
            for key in sums:
                sums[key] *= 0.9
            for other, _, parsed in self.recent if step else ():
                if not parsed or parsed[0] != step or parsed[1][:2] != form[:2] or other == field:
                    continue
                if self.numbers.get(other) and self.numbers[other][-1][0] == step:
                    sums[other] = sums.get(other, 0) + 1
        before.append(number)

    def learn_entity(self, token, is_word, following):
        """Learns the states of the entities that events are about."""
        separator = self.separator
        if separator == "->":
            if self.entity:
                self.states[self.entity] = token
        elif self.entity and is_word and separator == " " and following in "-" and self.entity not in self.states:
            self.first_states[token] += 1
        if self.entity or not self.first or not self.tokens:
            return
        if (not is_word and separator != "=") or (separator in (" ", " #", "-") and following == " "):
            self.entity = token

    def read(self, symbol):
        """Reads the symbol that came."""
        character, begun = CHARACTERS[symbol], self.begun
        self.symbols.append(symbol)
        continues = begun and character in ".:-" and begun[-1].isdigit() and not begun[0].isalpha()
        self.line += character
        if character.isalnum() or (continues and not any(c in "abcdef" for c in begun)):
            self.begun = begun + character
        else:
            self.read_separator(character)
        self.history = self.history[1:] + character
        self.count += 1
        if self.count == 1 and character in "{#<":
            self.kind = {"{": JSON, "#": COLUMNS, "<": TAGS}[character]
            self.find_field()
            self.guess()
        self.find_matches(symbol)

    def read_separator(self, character):
        """Reads a character between tokens."""
        if self.begun:
            self.end_token(character)
            self.begun = self.separator = ""
        self.separator = (self.separator + character)[-8:]
        if character in ":=" and self.last_tokens[0] and self.kind in (JSON, EVENTS, TAGS, UNKNOWN):
            self.key, self.since_key = self.last_tokens[0], ""
        self.since_key += character
        if character == "\n":
            self.end_line()
        self.find_field()
        self.guess()

    def find_matches(self, symbol):
        """Finds the last places that were like the last five and the last ten characters."""
        for number, (places, size) in enumerate(zip(self.places, (5, 10))):
            key = self.history[-size:]
            if self.match_length[number] and self.symbols[self.match_at[number]] == symbol:
                self.match_length[number] += 1
                self.match_at[number] += 1
            else:
                self.match_length[number] = 0
            place = places.get(key)
            if place is not None and not self.match_length[number]:
                self.match_at[number], self.match_length[number] = place, 1
            places[key] = self.count

    def end_line(self):
        """Starts a new line."""
        self.line_number += 1
        line = self.line
        if self.line_number == 1 and self.kind == UNKNOWN:
            if not any(c.isdigit() for c in line):
                self.kind = TABLE
            elif any(a == "=" and b not in " \n" for a, b in zip(line, line[1:])):
                self.kind = EVENTS
            else:
                self.kind = LOG_LINES
        self.line_before, self.line = line, ""
        self.tokens_before, self.tokens = self.tokens, []
        self.words, self.after_words = (), 0
        self.first_before, self.first = self.first, ""
        self.entity, self.separator = "", "\n"
        if self.kind not in (JSON, TAGS):
            self.key = self.since_key = ""
