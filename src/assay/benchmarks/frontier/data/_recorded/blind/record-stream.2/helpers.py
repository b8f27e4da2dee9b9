"""Static counts of what follows two bytes, and what follows a token of some kind and length."""
import numpy as np


def fold(c):
    return 48 if 48 <= c <= 57 else c


def kind(tok):
    if not tok:
        return 0
    if tok.isdigit():
        return 1
    if tok.isalpha():
        if tok.islower():
            return 2 if not all(c in b"abcdef" for c in tok) else 3
        return 4 if tok.isupper() else 5
    return 6


def contexts(buf, tok):
    a, b = fold(buf[-2]) if len(buf) > 1 else 10, fold(buf[-1])
    return a * 128 + b, (kind(tok) * 10 + min(len(tok), 9)) * 6 + (0 if not tok else 1 if len(tok) < 2 else 2 + (tok[-1] in b"aeiou") + 2 * (tok[-2] in b"aeiou"))


def count(data):
    """Counts {(context, symbol): n} of both kinds for a stream."""
    one, two, tok, buf = {}, {}, b"", bytearray(b"\n")
    for c in data:
        x, y = contexts(buf, tok)
        one[x, c] = one.get((x, c), 0) + 1
        two[y, c] = two.get((y, c), 0) + 1
        buf.append(c)
        tok = tok + bytes([c]) if chr(c).isalnum() else b""
    return one, two


def dense(one, two):
    A, B = np.zeros((16384, 128), np.float32), np.zeros((430, 128), np.float32)
    for (x, c), n in one.items():
        A[x, c] = n
    for (y, c), n in two.items():
        B[y, c] = n
    return A, B


def stretch_nodes(counts, base, strength):
    q = counts + strength * base
    heap = np.zeros(256)
    heap[128:] = q
    for lv in (64, 32, 16, 8, 4, 2, 1):
        heap[lv:2 * lv] = heap[2 * lv:4 * lv:2] + heap[2 * lv + 1:4 * lv:2]
    p = heap[3:256:2] / heap[1:128]
    return np.log(p / (1 - p))
