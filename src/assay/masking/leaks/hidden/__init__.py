"""The hidden contents of a file: archives, compressed and encoded data.

`layers` yields a file and everything that can be extracted from it, nested and limited; `compiled` recognizes
a function in compiled form by its names.

What it does not cover: encryption, formats of other programs (7z, rar, zstd, Parquet's own compression), and
text that somebody transformed by hand (reversed, split over many files). An archive that cannot be opened is
reported as unread, never skipped; a broken stream yields what can be decompressed.
"""

from assay.masking.leaks.hidden.compiled import Signature, signature_of
from assay.masking.leaks.hidden.layers import Layer, UnreadPart, layers
from assay.masking.leaks.hidden.spellings import spellings

__all__ = ["Layer", "Signature", "UnreadPart", "layers", "signature_of", "spellings"]
