"""Unpacks xz from standard input to standard output, for machines without the program."""

import lzma
import shutil
import sys

shutil.copyfileobj(lzma.open(sys.stdin.buffer), sys.stdout.buffer)
