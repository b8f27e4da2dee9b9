"""Unpacks xz from standard input to standard output, for machines without the program."""

import lzma
import shutil
import sys

with lzma.open(sys.stdin.buffer) as stream:
    shutil.copyfileobj(stream, sys.stdout.buffer)
