"""Makes another task of the same kind: `python vary.py SEED` edits this folder in place. Standard library only."""

import sys

sys.path.insert(0, "../_shared/varying")

from hidden_choices import vary
from ring_traffic import CHOICES, SPELLINGS

vary(int(sys.argv[1]), CHOICES, SPELLINGS)
