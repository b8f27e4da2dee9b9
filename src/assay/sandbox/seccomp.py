"""The system-call filter: what no experiment needs and an escape might use."""

from __future__ import annotations

import errno
import tempfile
from functools import cache
from typing import Any

REFUSED = {
    "reading other processes": ("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"),
    "keys": ("keyctl", "add_key", "request_key"),
    "programs in the kernel": ("bpf", "perf_event_open", "userfaultfd"),
    "mounts": ("mount", "umount", "umount2", "pivot_root", "chroot", "swapon", "swapoff", "quotactl"),
    "new mounts": ("move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
    "another kernel": ("kexec_load", "kexec_file_load", "reboot", "acct", "syslog"),
    "kernel modules": ("init_module", "finit_module", "delete_module", "create_module"),
    "clocks": ("clock_settime", "settimeofday", "adjtimex", "clock_adjtime", "stime"),
    "namespaces": ("unshare", "setns"),
    "hardware and old ways out": ("iopl", "ioperm", "vhangup", "open_by_handle_at", "lookup_dcookie"),
}
ABSENT = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3")
"""Answered as by a kernel that lacks them, so that libraries take their older way."""
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_NEW_USER_NAMESPACE = 0x10000000  # CLONE_NEWUSER


@cache
def filter_program() -> bytes | None:
    """The filter as a BPF program, or None where libseccomp is not installed."""
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError, AttributeError):
        return None
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in (name for names in REFUSED.values() for name in names):
        _refuse(pyseccomp, program, errno.EPERM, name)
    for name in ABSENT:
        _refuse(pyseccomp, program, errno.ENOSYS, name)
    for request in _TERMINAL_INJECTION:
        low_half = pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request)
        program.add_rule(pyseccomp.ERRNO(errno.EPERM), "ioctl", low_half)
    flag = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_USER_NAMESPACE, _NEW_USER_NAMESPACE)
    program.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", flag)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _refuse(library: Any, program: Any, number: int, name: str) -> None:
    try:
        library.resolve_syscall(library.system_arch(), name)
    except ValueError:
        return  # this machine's architecture does not have it
    program.add_rule(library.ERRNO(number), name)
