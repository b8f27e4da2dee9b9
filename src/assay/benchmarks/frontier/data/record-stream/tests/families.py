"""Families of machine-written streams. Each is a generator of lines: endless, with a new vocabulary for each stream."""

from fields import Amount, Choice, Clock, Counter, Fresh, Message, Reference, Walk, make_fields, make_words, next_row


def log_lines(random):
    """Time, level, part of the system, and a sentence."""
    clock, level = Clock(random), Choice(random, random.sample(["INFO", "WARN", "DEBUG", "ERROR", "TRACE"], 4))
    part, number = Choice(random), Counter(random)
    messages = {word: Message(random) for word in part.words}
    shapes = ("{0} {1} [{2}] {3}", "[{0}] {2}: {1} {3}", "{0} {2}[{4}] <{1}> {3}", "{1} {0} {4} {2} - {3}")
    shape = random.choice(shapes)
    while True:
        word = part.next({})
        yield shape.format(clock.next({}), level.next({}), word, messages[word].next({}), number.next({}))


def nested_records(random):
    """Objects with names in quotes, with an inner object and a list."""
    outer, inner = make_fields(random, random.randrange(4, 7)), make_fields(random, random.randrange(2, 4))
    lists, (inside, items) = Walk(random), make_words(random, 2)
    gap, deep = random.choice(("", " ")), random.random() < 0.5
    texts = {name for name, source in [*outer.items(), *inner.items()] if not isinstance(source, Walk | Amount)}

    def pairs(fields):
        row = next_row(fields)
        return [f'"{name}":{gap}' + (f'"{value}"' if name in texts else value) for name, value in row.items()]

    while True:
        last = "[" + f",{gap}".join(lists.next({}) for _ in range(random.choice((1, 2, 2, 3)))) + "]"
        if deep:
            middle = [f'  "{inside}": {{', ",\n".join("    " + pair for pair in pairs(inner)), "  },"]
            yield "\n".join(["{", *("  " + pair + "," for pair in pairs(outer)), *middle, f'  "{items}": {last}', "}"])
        else:
            middle = f'"{inside}":{gap}{{' + f",{gap}".join(pairs(inner)) + "}"
            yield "{" + f",{gap}".join([*pairs(outer), middle, f'"{items}":{gap}{last}']) + "}"


def table_rows(random):
    """Rows of a table, with separators or with columns of fixed width."""
    fields = make_fields(random, random.randrange(5, 9))
    mark = random.choice((",", ";", "  ", "|"))
    aligned = random.random() < 0.5
    rows = [next_row(fields) for _ in range(12)]
    widths = [max(len(name), *(len(row[name]) for row in rows)) + 1 for name in fields]
    right = [random.random() < 0.6 for _ in fields]
    cells = list(fields)
    while True:
        if aligned:
            parts = zip(cells, widths, right, strict=True)
            yield "".join(cell.rjust(width) if is_right else cell.ljust(width) for cell, width, is_right in parts)
        else:
            yield mark.join(cells)
        cells = list(next_row(fields).values())


def tag_trees(random):
    """Nested elements with attributes and closing tags."""
    root, *names = make_words(random, 7)
    kinds = {name: make_fields(random, random.randrange(1, 4)) for name in names}
    texts = {name: random.choice((Choice, Walk, Message, Amount))(random) for name in names}
    order, step = Choice(random, names[:3]), random.choice(("", " ", "  "))
    nested = {name: random.sample(names[3:], random.randrange(1, 4)) for name in names[:3]}
    while True:
        name = order.next({})
        attributes = "".join(f' {key}="{value}"' for key, value in next_row(kinds[name]).items())
        lines = [f"<{root}>", f"{step}<{name}{attributes}>"]
        for child in nested[name]:
            inner = "".join(f' {key}="{value}"' for key, value in list(next_row(kinds[child]).items())[:1])
            lines.append(f"{step * 2}<{child}{inner}>{texts[child].next({})}</{child}>")
        yield "\n".join([*lines, f"{step}</{name}>", f"</{root}>"])


def metric_dumps(random):
    """The same list of counters and gauges again and again, at later times."""
    clock, group = Clock(random), make_words(random, random.randrange(2, 4))
    names = make_words(random, random.randrange(8, 14))
    names = [f"{random.choice(group)}{random.choice('._/')}{name}" for name in names]
    mark, idle = random.choice((" ", "=", ": ")), random.uniform(0.2, 0.8)
    values = {name: random.choice((0, random.randrange(10_000), random.randrange(10**7))) for name in names}
    pace = {name: 10 ** random.uniform(0.0, 4.0) * (random.random() > 0.25) for name in names}
    gauges = {name: Walk(random) for name in names if random.random() < 0.3}
    while True:
        lines = ["# " + clock.next({})]
        for name in names:
            if random.random() > idle:
                values[name] += int(random.expovariate(1.0) * pace[name])
            lines.append(name + mark + (gauges[name].next({}) if name in gauges else str(values[name])))
        yield "\n".join(lines)


def linked_events(random):
    """Things that are made, changed and ended; later lines name earlier ones."""
    fresh, clock, number = Fresh(random), Clock(random), Counter(random)
    reference, states = Reference(random, fresh), make_words(random, 6)
    owners, extra = Choice(random), make_fields(random, random.randrange(1, 4))
    verbs, alive = make_words(random, 4), []
    keys, show = make_words(random, 4), random.randrange(3)
    while True:
        lead = (clock.next({}) + " ", number.next({}) + " ", "")[show]
        kind = 0 if len(alive) < 3 else random.choices(range(4), (3, 4, 3, 2))[0]
        if kind == 0:
            name, owner = fresh.next({}), owners.next({})
            alive.append([name, owner, 0])
            details = " ".join(f"{key}={value}" for key, value in next_row(extra).items())
            yield f"{lead}{verbs[0]} {name} {keys[0]}={owner} {keys[1]}={reference.next({})} {details}"
            continue
        thing = alive[-1 - min(len(alive) - 1, int(random.expovariate(0.5)))]
        if kind == 1:
            before, thing[2] = thing[2], min(thing[2] + random.choice((1, 1, 1, 2)), 5)
            yield f"{lead}{verbs[1]} {thing[0]} {keys[2]} {states[before]}->{states[thing[2]]}"
        elif kind == 2:
            yield f"{lead}{verbs[2]} {thing[0]} {keys[0]}={thing[1]} {keys[3]}={alive[random.randrange(len(alive))][0]}"
        else:
            alive.remove(thing)
            yield f"{lead}{verbs[3]} {thing[0]} {states[thing[2]]} {keys[0]}={thing[1]}"


def memory_dumps(random):
    """Addresses, bytes in hexadecimal and the same bytes as text; the bytes are packed records."""
    address, words = random.randrange(2**12) * 16, make_words(random, random.randrange(5, 12))
    width, group = random.choice((8, 12, 16)), random.choice((1, 2, 4))
    counter, pace, size = random.randrange(60_000), random.choice((1, 1, 2, 4)), random.randrange(5, 9)
    order, kinds, value = random.choice(("little", "big")), Choice(random, words), Walk(random)
    flag, data = bytes(random.choices(range(256), k=2)), b""
    while True:
        while len(data) < width:
            counter += pace
            text = kinds.next({}).encode()[:size]
            number = int(float(value.next({}))).to_bytes(2, order)
            data += flag + counter.to_bytes(4, order) + number + bytes([len(text)]) + text.ljust(size, b"\0")
        line, data = data[:width], data[width:]
        digits = [line[place : place + group].hex() for place in range(0, width, group)]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in line)
        yield f"{address:08x}  {' '.join(digits)}  |{shown}|"
        address += width


FAMILIES = (log_lines, nested_records, table_rows, tag_trees, metric_dumps, linked_events, memory_dumps)
