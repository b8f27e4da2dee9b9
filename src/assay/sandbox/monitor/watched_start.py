"""Starts a sandbox under the watch: the kernel reports every program that the command starts.

It runs by its path, outside every sandbox, and uses only the standard library. It loads the filter for
itself, hands the kernel's listener to the process that listens for all sandboxes, and becomes the command.
Where the kernel refuses, it writes the reason into the log and becomes the command all the same.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys

NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS: without it only root may load a filter


def hand_over(control: int, log: int, listener: int) -> None:
    """Send the listener and the log of this sandbox to the process that listens."""
    with socket.socket(fileno=control) as connection:
        socket.send_fds(connection, [b"s"], [listener, log])
    os.close(listener)


def main() -> None:
    """Read the arguments, load the filter and become the command."""
    folder, control, log, number, program, *command = sys.argv[1:]
    sys.path.append(folder)
    from resident import load_filter  # type: ignore[import-not-found]

    for descriptor in (int(control), int(log)):
        os.set_inheritable(descriptor, False)
    try:
        if os.geteuid() != 0:
            ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        hand_over(int(control), int(log), load_filter(bytes.fromhex(program), int(number)))
    except OSError as error:
        reason = f"the kernel refuses: {os.strerror(error.errno or 0)}"
        os.write(int(log), json.dumps({"unwatched": reason}).encode() + b"\n")
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
