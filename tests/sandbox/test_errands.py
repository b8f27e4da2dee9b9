from __future__ import annotations

import socket

from assay.sandbox.session.resident_client import PendingRequest


def test_a_command_that_ends_while_it_is_being_killed_still_reports() -> None:
    ours, theirs = socket.socketpair()
    with PendingRequest(ours) as errand:
        theirs.sendall(b'{"ended": -24}\n')
        theirs.close()
        errand.kill()
        assert errand.next_report(seconds=5) == ({"ended": -24}, None)
