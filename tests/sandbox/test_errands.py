from __future__ import annotations

import socket

from assay.sandbox.session.resident_client import Errand


def test_a_command_that_ends_while_it_is_being_killed_still_reports() -> None:
    ours, theirs = socket.socketpair()
    with Errand(ours) as errand:
        theirs.sendall(b'{"ended": -24}\n')
        theirs.close()
        errand.kill()
        assert errand.hear(seconds=5) == ({"ended": -24}, None)
