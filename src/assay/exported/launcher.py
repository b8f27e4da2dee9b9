"""The first program of every untrusted command: it empties what the kernel keeps for a user, then goes on.

Keys and message queues stay after the processes that made them, so a build could leave data in them. The
verifier passes this text to `python -I -c`, because the untrusted user cannot read the file.

What this does not cover: keys on processors other than x86-64 and 64-bit ARM.
"""

import ctypes
import errno
import os
import resource
import sys
import time

KEYCTL = {"x86_64": 250, "aarch64": 219}
"""Numbers of the system call for keys."""
JOIN_SESSION, CLEAR, GET_PERSISTENT = 1, 7, 22
PROCESS_KEYS, USER_KEYS, USER_SESSION_KEYS = -2, -4, -5
NOT_THERE = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP)
"""Errors where the container or the kernel has no keys; a keyring that its user has locked gives EACCES."""
QUOTA_SECONDS = 10.0
"""How long the kernel may take to remove keys that nobody has any more."""
PR_SET_NO_NEW_PRIVS = 38


def forget_keys(libc: ctypes.CDLL, number: int) -> None:
    """Empty the keyrings of the user, and start with an empty session keyring."""

    def keyctl(*arguments: int | None) -> int:
        answer: int = libc.syscall(number, *arguments)
        if answer < 0 and ctypes.get_errno() not in (*NOT_THERE, errno.EDQUOT):
            raise SystemExit("an earlier command has locked the keys of its user, so this one does not start")
        return answer

    keyrings = [USER_KEYS, USER_SESSION_KEYS, keyctl(GET_PERSISTENT, -1, PROCESS_KEYS)]
    for keyring in keyrings:
        if keyring != -1:
            keyctl(CLEAR, keyring)
    deadline = time.monotonic() + QUOTA_SECONDS
    while keyctl(JOIN_SESSION, None) < 0 and ctypes.get_errno() == errno.EDQUOT:
        if time.monotonic() > deadline:
            raise SystemExit(
                "an earlier command has used up the keys of its user, so this one does not start"
            )
        time.sleep(0.05)


if __name__ == "__main__":
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    if os.uname().machine in KEYCTL:
        forget_keys(library, KEYCTL[os.uname().machine])
    os.execv(sys.argv[1], sys.argv[1:])
