"""The system-call filter: refuses calls that no experiment needs and an escape might use.

It also protects the first process of a sandbox, which has the same user as everything else inside: nothing
can change its limits, scheduling, priority or processors. Signals and tracing need no filter there. The
filter allows only the socket families that experiments use.

All sandboxes share the kernel's cache of file pages: which pages of the system's files are in memory is a
message that one sandbox can leave for the next. So no program can ask for it or remove pages.

What it does not cover: memory behind a call's pointers, which a filter cannot read; how long a read takes.
"""

from __future__ import annotations

import errno
import tempfile
from functools import cache
from typing import Any

REFUSED_CALLS = {
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
ABSENT_CALLS = (
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"),
    *("inotify_init", "inotify_init1", "fanotify_init"),
    *("mincore", "cachestat", "process_madvise"),
)
"""The filter answers like a kernel without these calls, so libraries use older ones. A user has few
inotify instances for all processes: one sandbox could take them all and blind the harness."""
_IGNORED_ADVICE = {"fadvise64": (3, (4,)), "madvise": (2, (20, 21))}
"""Call -> which argument is the advice, and advice that removes pages from the cache (POSIX_FADV_DONTNEED;
MADV_COLD, MADV_PAGEOUT). The call succeeds and does nothing, as advice may."""
_ONLY_FROM_CACHE = 8  # RWF_NOWAIT: fails if a page is not in memory
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_NEW_USER_NAMESPACE = 0x10000000  # CLONE_NEWUSER
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}
"""Allowed socket families; of netlink only the routing protocol, which libraries use to read addresses."""
_FAMILY_BITS = 6
"""Every family has a number below 64; a larger number has a bit above these."""
_LOW_HALF = 0xFFFFFFFF
"""The kernel reads a process, a family or a request as 32 bits and ignores higher bits."""
_FIRST_PROCESS = 1
_PROCESS_CALLS = (
    *("prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity"),
    *("migrate_pages", "move_pages"),
)
"""Calls whose first argument is the process that they change."""
_GROUP_CALLS = {"setpriority": 2, "ioprio_set": 3}
"""Calls whose second argument is a process or a group -> first argument that means a whole user."""


@cache
def filter_program() -> bytes | None:
    """Return the filter as a BPF program, or None if libseccomp is not installed."""
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError, AttributeError):
        return None
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in (name for names in REFUSED_CALLS.values() for name in names):
        _refuse(pyseccomp, program, errno.EPERM, name)
    for name in ABSENT_CALLS:
        _refuse(pyseccomp, program, errno.ENOSYS, name)
    for request in _TERMINAL_INJECTION:
        program.add_rule(pyseccomp.ERRNO(errno.EPERM), "ioctl", _equals(pyseccomp, 1, request))
    _shield_first_process(pyseccomp, program)
    _hide_cached_pages(pyseccomp, program)
    _narrow_sockets(pyseccomp, program)
    flag = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_USER_NAMESPACE, _NEW_USER_NAMESPACE)
    program.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", flag)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _shield_first_process(library: Any, program: Any) -> None:
    refused = library.ERRNO(errno.EPERM)
    for name in _PROCESS_CALLS:
        program.add_rule(refused, name, _equals(library, 0, _FIRST_PROCESS))
    for name, whole_user in _GROUP_CALLS.items():
        program.add_rule(refused, name, _equals(library, 1, _FIRST_PROCESS))
        program.add_rule(refused, name, _equals(library, 0, whole_user))


def _hide_cached_pages(library: Any, program: Any) -> None:
    for name, (argument, values) in _IGNORED_ADVICE.items():
        for value in values:
            program.add_rule(library.ERRNO(0), name, _equals(library, argument, value))
    only_cached = library.Arg(5, library.MASKED_EQ, _ONLY_FROM_CACHE, _ONLY_FROM_CACHE)
    for name in ("preadv2", "pwritev2"):
        program.add_rule(library.ERRNO(errno.EOPNOTSUPP), name, only_cached)


def _narrow_sockets(library: Any, program: Any) -> None:
    refused = library.ERRNO(errno.EAFNOSUPPORT)
    refused_families = [number for number in range(1 << _FAMILY_BITS) if number not in FAMILIES.values()]
    for name in ("socket", "socketpair"):
        for number in refused_families:
            program.add_rule(refused, name, _equals(library, 0, number))
        for bit in range(_FAMILY_BITS, 32):
            program.add_rule(refused, name, library.Arg(0, library.MASKED_EQ, 1 << bit, 1 << bit))
        not_routes = library.Arg(2, library.NE, 0)
        program.add_rule(refused, name, _equals(library, 0, FAMILIES["netlink"]), not_routes)


def _equals(library: Any, argument: int, value: int) -> Any:
    return library.Arg(argument, library.MASKED_EQ, _LOW_HALF, value)


def _refuse(library: Any, program: Any, error_number: int, name: str) -> None:
    try:
        library.resolve_syscall(library.system_arch(), name)
    except ValueError:
        return  # this machine's architecture does not have it
    program.add_rule(library.ERRNO(error_number), name)
