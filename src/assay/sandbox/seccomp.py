"""The system-call filter: what no experiment needs and an escape might use."""

from __future__ import annotations

import errno
import tempfile
from functools import cache
from typing import Any

REFUSED = (
    "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd "
    "keyctl add_key request_key bpf perf_event_open userfaultfd "
    "mount umount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr "
    "kexec_load kexec_file_load init_module finit_module delete_module create_module "
    "clock_settime settimeofday adjtimex clock_adjtime stime "
    "unshare setns swapon swapoff reboot acct quotactl quotactl_fd syslog nfsservctl lookup_dcookie "
    "open_by_handle_at name_to_handle_at move_pages mbind migrate_pages set_mempolicy iopl ioperm vhangup"
).split()
ABSENT = "io_uring_setup io_uring_enter io_uring_register clone3".split()
"""Answered as by a kernel that lacks them, so that libraries take their older way."""
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_NEW_USER_NAMESPACE = 0x10000000  # CLONE_NEWUSER


@cache
def filter_program() -> bytes | None:
    """The filter as a BPF program, or None where libseccomp is not installed."""
    try:
        import pyseccomp  # type: ignore[import-untyped]
    except (ImportError, RuntimeError, OSError, AttributeError):
        return None
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in REFUSED:
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
