"""Contexts and expectations from the bytes so far."""

HEXD = set(b"0123456789abcdef")


def cls(c):
    return 0 if 97 <= c <= 122 else 1 if 48 <= c <= 57 else 2 if 65 <= c <= 90 else 3 if c == 10 else 4 if c == 32 else 5


ALNUM = set(range(48, 58)) | set(range(65, 91)) | set(range(97, 123))
ALPHA = set(range(65, 91)) | set(range(97, 123))
NE = 14


def extrapolate(last, prev, base):
    try:
        if base == 10 and not (last.isdigit() and prev.isdigit()):
            return None
        a, b = int(last, base), int(prev, base)
    except ValueError:
        return None
    v = a + (a - b)
    if v < 0 or a == b:
        return None
    s = b"%d" % v if base == 10 else b"%x" % v
    if len(s) < len(last):
        s = s.rjust(len(last), b"0")
    return s


class Tracker:
    def __init__(self):
        self.buf = bytearray(b"\n")
        self.tok = b""
        self.field = 0
        self.skel = 0
        self.first = b""
        self.pfirst = b""
        self.name = b""
        self.since = 0
        self.toks = []
        self.prevtoks = []
        self.prev2 = []
        self.lines = [b""] * 6
        self.start = 1
        self.hist = {}
        self.idmem = {}
        self.match = 0
        self.mlen = 0
        self.index = {}
        self.index8 = {}
        self.nib = ""
        self.linekeys = []
        self.stack = []
        self.linecount = 0
        self.lastkeys()
        self.outcome = [0] * NE
        self.hexanchor = {}
        self.seen = {}

    def lastkeys(self):
        last = self.toks[-1] if self.toks else b""
        sep = self.buf[-1]
        self.keys = [("A", self.first, self.skel), ("B", self.field, sep), ("N", self.name, self.since),
                     ("P", self.pfirst if self.field == 0 else self.first, self.field, len(self.lines[-1]) and self.lines[-1][:3]),
                     ("L", last, sep)]
        self.vals = [self.hist.get(k) for k in self.keys]

    def push(self, c):
        buf = self.buf
        buf.append(c)
        # match
        n = len(buf)
        if self.match and buf[self.match] == c:
            self.match += 1
            self.mlen += 1
        else:
            self.match = self.mlen = 0
        if n >= 6:
            k = bytes(buf[-6:])
            if not self.match:
                self.match = self.index.get(k, 0)
                self.mlen = 1 if self.match else 0
            self.index[k] = n
        if c in ALNUM:
            self.tok += bytes([c])
            return
        if self.tok:
            tok = self.tok
            val = tok
            for k in self.keys:
                old = self.hist.get(k)
                self.hist[k] = (val, old[0] if old else None, c, old[1] if old else None)
            self.toks.append(tok)
            if self.field == 0:
                self.first = tok
            if tok[0] in ALPHA and not (len(tok) <= 4 and all(x in HEXD for x in tok)):
                self.name = tok
                self.since = 0
            self.since += 1
            self.field += 1
            self.tok = b""
            self.seen[tok] = self.seen.get(tok, 0) + 1
        self.skel = hash((self.skel, c))
        if c == 10:
            line = bytes(buf[self.start:n - 1])
            for t in self.toks[1:5]:
                self.idmem[t] = self.toks
            self.lines = self.lines[1:] + [line]
            self.start = n
            self.pfirst = self.first
            self.prev2 = self.prevtoks
            self.prevtoks = self.toks
            self.toks = []
            self.field = 0
            self.skel = 0
            self.first = b""
            self.since += 10
            self.linecount += 1
        self.lastkeys()

    def expected(self):
        """For each expectation (byte or -1, quality below 16)."""
        out = []
        buf, tok = self.buf, self.tok
        p = len(tok)
        out.append((buf[self.match], min(self.mlen, 15)) if self.match else (-1, 0))
        col = len(buf) - self.start
        above = self.lines[-1]
        out.append((above[col], 0) if col < len(above) else (10 if col == len(above) and self.linecount else -1, 1))
        for j, v in enumerate(self.vals):
            if v is None:
                out.append((-1, 0))
                continue
            val = v[0]
            same = v[1] is not None and v[1] == val
            if val[:p] == tok:
                out.append((val[p] if p < len(val) else v[2], (4 if same else 0) + min(p, 3)))
            elif p == len(val):
                out.append((v[2], 8))
            else:
                out.append((-1, 0))
        for j in (0, 1, 2):
            v = self.vals[j]
            e = (-1, 0)
            if v is not None and v[1] is not None:
                s = extrapolate(v[0], v[1], 10)
                ok = 0
                if s is not None:
                    if v[3] is not None:
                        ok = 4 if extrapolate(v[1], v[3], 10) == v[0] else 8
                    if s[:p] == tok:
                        e = (s[p] if p < len(s) else v[2], ok + min(p, 3))
            out.append(e)
        v = self.vals[1]
        e = (-1, 0)
        if v is not None and v[1] is not None and len(v[0]) >= 4:
            s = extrapolate(v[0], v[1], 16)
            if s is not None and s[:p] == tok:
                ok = 4 if v[3] is not None and extrapolate(v[1], v[3], 16) == v[0] else 0
                e = (s[p] if p < len(s) else v[2], ok + min(p, 3))
        out.append(e)
        # identifier memory: what came in the last line with this identifier
        e = (-1, 0)
        if self.toks:
            for t in (self.toks[2:3] or self.toks[1:2]):
                m = self.idmem.get(t)
                if m and m is not self.toks:
                    w = m[-1]
                    if w[:p] == tok and p < len(w):
                        e = (w[p], min(p, 3) + (4 if self.field == len(m) - 1 else 0))
        out.append(e)
        out.append(self.hexed(col))
        out.append(self.related(tok, p))
        return out

    def related(self, tok, p):
        """A copy of an earlier token of the line, or a sum, if the lines before had it."""
        f, pt, qt = self.field, self.prevtoks, self.prev2
        if not (0 < f < len(pt) and f < len(qt)):
            return (-1, 0)
        v = self.vals[1]
        sep = v[2] if v else 10
        for j in range(min(f, len(self.toks))):
            if pt[j] == pt[f] and qt[j] == qt[f] and len(pt[f]) > 0:
                w = self.toks[j]
                if w[:p] == tok:
                    return (w[p] if p < len(w) else sep, 12 + min(p, 1))
        if pt[f].isdigit() and qt[f].isdigit():
            for j in range(min(f, len(self.toks))):
                if pt[j].isdigit() and self.toks[j].isdigit() and pt[j] != b"0" and int(qt[f]) + int(pt[j]) == int(pt[f]):
                    w = b"%d" % (int(pt[f]) + int(self.toks[j]))
                    if w[:p] == tok:
                        return (w[p] if p < len(w) else sep, 14 + min(p, 1))
        return (-1, 0)

    def hexed(self, col):
        """In a dump: the character that belongs to the hex digits, or the counter of the records."""
        line = bytes(self.buf[self.start:])
        if len(line) < 10 or line[8:10] != b"  ":
            return (-1, 0)
        bar = line.find(b"|")
        if bar >= 0:
            k = col - bar - 1
            digits = line[10:bar].replace(b" ", b"")
            if 2 * k + 2 <= len(digits):
                try:
                    v = int(digits[2 * k:2 * k + 2], 16)
                except ValueError:
                    return (-1, 0)
                return (v if 32 <= v <= 126 else 46, 1)
            return (124, 2) if 2 * k == len(digits) else (10, 3)
        nb = self.nibbles()
        if nb and len(line) > 9:
            for j in range(4):
                a = nb[len(nb) - j - 8:len(nb) - j]
                if len(a) == 8 and a[4:] == b"0000":
                    r = nb.rfind(a, 0, len(nb) - j - 1)
                    v = nb[r + 8:r + 12]
                    if r >= 0 and len(v) == 4:
                        s = b"%04x" % ((int(v, 16) + 1) & 65535)
                        if s[:j] == nb[len(nb) - j:]:
                            return (s[j], 8 + j)
        return (-1, 0)

    def nibbles(self):
        """The hex digits of a dump without addresses and characters, when inside of them."""
        line = bytes(self.buf[self.start:])
        if len(line) < 10 or line[8:10] != b"  " or b"|" in line:
            return None
        out = b""
        for l in self.lines[-6:]:
            if l[8:10] == b"  ":
                e = l.find(b"|")
                out += l[10:e].replace(b" ", b"")
        return out + line[10:].replace(b" ", b"")

    def contexts(self):
        b, tok = self.buf, self.tok
        h = hash
        last = self.toks[-1] if self.toks else b""
        last2 = self.toks[-2] if len(self.toks) > 1 else b""
        col = len(b) - self.start
        above = self.lines[-1]
        ab = above[col] if col < len(above) else 0
        ab1 = above[col + 1] if col + 1 < len(above) else 0
        sep = b[-1 - len(tok)]
        v = self.vals
        ev = []
        for j in (0, 1, 2):
            x = v[j]
            if x is None:
                ev.append((0, 0))
            else:
                m = x[0][:len(tok)] == tok
                ev.append((x[0][len(tok)] if len(tok) < len(x[0]) else 1, m, len(x[0]) - len(tok)))
        nb = self.nibbles()
        shape = bytes(48 if cls(c) == 1 else 97 if cls(c) == 0 else c for c in b[-6:])
        pv = [x[0] if x else b"" for x in v]
        tail = bytes(b[-7:])
        id2 = self.toks[2] if len(self.toks) > 2 else (self.toks[1] if len(self.toks) > 1 else b"")
        dig = nb is not None
        return [
            (0,), (1, b[-1]), (2, tail[-2:]), (3, tail[-3:]), (4, tail[-4:]), (5, tail[-5:]), (6, tail),
            (7, tok, sep), (8, tok, last, sep), (9, tok, last, last2), (10, self.field, tok, sep),
            (11, self.first, self.skel, tok), (12, self.name, self.since, tok), (13, col, ab, b[-1]),
            (14, ab, ab1, b[-1]), (15, ev[0], self.keys[0]), (16, ev[1], self.keys[1]), (17, ev[2], self.keys[2]), (18, ev[1]), (19, ev[2]),
            (20, pv[1], self.field, tok), (21, pv[0], self.first, self.skel, tok), (22, pv[2], self.name, self.since, tok),
            (23, self.first, self.field, len(tok), cls(b[-1])), (24, shape), (25, self.pfirst, self.field, self.first, tok),
            (26, id2, self.skel, tok), (27, self.skel, len(tok)), (28, col, len(above)), (29, self.name, self.since, len(tok)),
            (30, nb[-4:]) if dig else (30, self.lines[-1][:12], col), (31, nb[-8:]) if dig else (31, self.lines[-2][:8], self.lines[-1][:8], col if col < 12 else 12, tok),
            (32, nb[-2:], len(nb) & 1) if dig else (32, self.prevtoks[self.field] if self.field < len(self.prevtoks) else b"", last, tok),
            (33, nb[-12:]) if dig else (33, self.first, self.field, tok),
        ]


NC = 34
