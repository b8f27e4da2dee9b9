"""Everything that a file holds beside its own text: what lies in archives, compressed and encoded data.

`layers` gives a file and all that can be taken out of it, nested and bounded; `compiled` knows a function
by its names where only its compiled form is there.

What it does not cover: encryption, formats of other programs (7z, rar, zstd, Parquet's own compression), and
text that somebody has transformed by hand (reversed, split over many files). An archive that cannot be
opened is reported as unread, never passed over.
"""

from assay.masking.leaks.hidden.compiled import Signature, signature_of
from assay.masking.leaks.hidden.layers import Layer, Unread, layers

__all__ = ["Layer", "Signature", "Unread", "layers", "signature_of"]
