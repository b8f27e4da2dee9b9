"""`assay review`: a local page on which people accept, edit or reject the fields of tasks.

`trail` and `decisions` are the record, `review` is one review with its source, `measures` are agreement and
minutes, `application` is the page over HTTP, `serving` starts it, `sources` are the things that can be
reviewed.
"""

from assay.reviewing.measures import ReviewSummary, summarise
from assay.reviewing.opening import ReviewRequest, open_review
from assay.reviewing.review import Review

__all__ = ["Review", "ReviewRequest", "ReviewSummary", "open_review", "summarise"]
