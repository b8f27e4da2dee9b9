"""The list of a suite's tasks that `assay suites NAME` prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.benchmarks.suite import Suite
from assay.masking.dial import SampleManifest


@dataclass(frozen=True)
class TaskTable:
    """One line for each task of a suite."""

    suite: Suite

    @property
    def manifest(self) -> SampleManifest | None:
        """How the tasks were sampled; None if they were not sampled."""
        return self.suite.manifest

    def to_json(self) -> dict[str, Any]:
        """Return the suite's name and a row for each task."""
        return {"suite": self.suite.name, "tasks": self._rows()}

    def lines(self) -> Iterator[str]:
        """Yield the tasks, the special resources of each, and how many are certified."""
        rows = self._rows()
        takes = {task.id: str(task.assay.needs) for task in self.suite.tasks if task.assay.needs}
        width = max((len(row["id"]) for row in rows), default=0)
        for row in rows:
            size = f"n={row['n']}" if row["n"] else ""
            proof = "certified" if row["certified"] else "sampled" if row["sampled"] else "not certified"
            needs = f" (needs {row['needs']})" if row["needs"] else ""
            columns = f"{row['kind']:<10}  {size:<4} {row['flow'] or '':<5} {proof:<13}  {row['title']}"
            yield f"{row['id']:<{width}}  {columns}{needs}"
            if row["id"] in takes:
                yield f"{'':<{width}}  takes {takes[row['id']]}"
        sampled = sum(row["sampled"] for row in rows)
        also = f", {sampled} sampled" if sampled else ""
        yield f"{len(rows)} tasks, {sum(row['certified'] for row in rows)} certified{also}"

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "id": task.id,
                "kind": task.kind,
                "certified": task.certified,
                "sampled": task.sampled,
                "title": task.config.task.description,
                "n": len(task.assay.masks),
                "flow": self.suite.flow.get(task.id),
                "needs": self.suite.needs.get(task.id),
                "resources": task.assay.needs.model_dump() if task.assay.needs else None,
                "seconds": task.config.agent.timeout_sec,
                "gpus": task.config.environment.gpus,
                "digest": task.digest,
            }
            for task in self.suite.tasks
        ]
