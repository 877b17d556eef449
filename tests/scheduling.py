"""Which tests share a worker: those for which something expensive is made once, such as a server or a browser.

The groups of pytest-xdist are told apart by a suffix of the node id, which pytest 9.2 no longer takes up
(https://github.com/pytest-dev/pytest-xdist/issues/1386): every test of a group went to whichever worker was free, and
what they share was made by each. Here a group is a place, so that no node id has to be changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

TOGETHER = (
    "tests/behaviour/",  # a server and the processes of MCP hosts
    "tests/browser/",  # Chromium, and a server over the sample
    "tests/packaging/",  # the package, and environments with it
    "tests/shape/",  # the sources, parsed
)
"""Folders whose files share something; the tests of any other file share only what is in it."""

FIRST = (
    "tests/browser/",
    "tests/contracts/test_large_tenants.py",
    "tests/contracts/test_standby.py",
    "tests/packaging/",
    "tests/shape/",
    "tests/engine/test_erase_restored_server.py",
    "tests/surfaces/http/test_many_hosts_files.py",
    "tests/contracts/test_postgres.py",
    "tests/engine/test_full_disk.py",
    "tests/contracts/test_same_answers.py",
    "tests/contracts/test_nearest_engines.py",
    "tests/test_docs_site.py",
    "tests/bench/test_poisoning.py",
    "tests/contracts/test_postgres_repair.py",
    "tests/contracts/test_row_security.py",
    "tests/contracts/test_state_machine.py",
    "tests/surfaces/http/test_http_worker.py",
    "tests/evaluation/test_eval_runner.py",
    "tests/surfaces/http/test_http_process.py",
    "tests/contracts/test_crash.py",
    "tests/engine/test_migration.py",
    "tests/engine/test_placement.py",
    "tests/test_extending.py",
    "tests/surfaces/http/test_store_url.py",
    "tests/surfaces/test_home_is_private.py",
    "tests/surfaces/http/test_http_schema.py",
    "tests/hostile/test_slow_texts.py",
    "tests/engine/test_large_memory.py",
    "tests/contracts/test_postgres_outages.py",
    "tests/evaluation/test_eval_shared_sets.py",
    "tests/soak/test_soak.py",
    "tests/surfaces/test_cli_process.py",
    "tests/surfaces/http/test_many_hosts.py",
    "tests/surfaces/http/test_http_recall_workers.py",
    "tests/engine/test_capture_crash.py",
    "tests/engine/test_byte_flips.py",
)
"""What has few tests that take long: begun last, one worker would be at it after all others are done."""


def group_of(nodeid: str) -> str:
    """The place whose tests share a worker: what a file or a folder needs is made once."""
    return next((place for place in TOGETHER if nodeid.startswith(place)), nodeid.partition("::")[0])


class Together(LoadScopeScheduling):
    """Each group to whichever worker is free, the largest ahead."""

    def schedule(self) -> None:
        is_new = self.collection is None
        super().schedule()
        for place in reversed(FIRST):
            if is_new and place in self.workqueue:
                self.workqueue.move_to_end(place, last=False)

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forget what is done: otherwise every test counts all that were done before it."""
        super().mark_test_complete(node, item_index, duration)
        assigned = self.assigned_work[node]
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(assigned[scope].values()):
            del assigned[scope]
