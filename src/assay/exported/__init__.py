"""The verifier that travels with an exported task; it needs the standard library of Python 3.11 alone.

It runs what was handed in again and applies the rules of `assay.rules`, of which the exported task carries a
copy. It expects a container of its own. As root it moves the workspace that the agent left to a private
folder, runs each command in a new folder at that path, with the files that count, and removes what a command
left elsewhere. Compared with `assay grade` it does not
- give each command a fresh sandbox: as root it runs what was handed in as another user, who cannot read the
  tests, and ends that user's processes after each command; not as root it can do neither;
- limit memory, disk or processes, which is left to the container: of a server's memory it reads the peak,
  and of the files that a run or a build wrote it takes no more than the task's limits allow;
- hide the rest of the container, or state that the kernel keeps: times of last access, cached pages, process
  numbers, closed connections;
- follow what a run executes: whether a run computes anything, and whether code runs, stays open;
- read the agent's text in a process with limits;
- look for cheating, keep links and empty folders of the workspace, or ask a judge.

What it cannot decide is `unknown`, with the reason, and never a pass.
"""
