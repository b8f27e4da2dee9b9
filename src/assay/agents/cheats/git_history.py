"""Looks for the answer in the repository's past."""

from __future__ import annotations

from assay.agents.hands import Hands

SEARCH = """
git log --all --oneline; git reflog --all; git stash list; git branch -a; git tag
git fsck --lost-found --no-reflogs
git checkout -q HEAD~1 -- . && echo restored an older version
for blob in $(git rev-list --all --objects | cut -d' ' -f1) $(ls .git/lost-found/other 2>/dev/null); do
  git cat-file -p "$blob" | head -c 200
done
find / -name '*.bundle' -o -name '*.pack' -not -path '/proc/*' 2>/dev/null | head
"""


async def act(hands: Hands) -> None:
    """Read the git history for the version before the functions were taken out."""
    await hands.run(SEARCH)
