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
    "tests/capture/test_languages.py",  # labeled turns, with what is extracted from them
    "tests/capture/test_worth_fit.py",  # the examples of the training chats
    "tests/domain/test_text_similarity.py",  # embedded pairs
    "tests/domain/test_ownership.py::TestTheDevelopmentSet::",  # its measurement
    "tests/engine/test_byte_flips.py",  # homes with something of everything
    "tests/engine/test_capture_crash.py",  # an undisturbed run to compare with
    "tests/bench/test_poisoning.py",  # its measurement
    "tests/packaging/",  # the package, and environments with it
    "tests/providers/test_embedders_real.py",  # a server of llama.cpp
    "tests/providers/test_llms_real.py",  # another
    "tests/providers/test_qmd.py",  # folders that a program has indexed
    "tests/recall/test_topic.py",  # embedded pairs
    "tests/recall/test_updates.py",  # embedded talks
    "tests/surfaces/http/test_http_recall_workers.py",  # a process that recalls
    "tests/surfaces/test_mcp_server.py",  # hosts of three sorts
    "tests/test_docs_site.py",  # the site
)


def group_of(nodeid: str) -> str:
    """The place whose tests share a worker, or the test itself."""
    return next((place for place in TOGETHER if nodeid.startswith(place)), nodeid)


class Together(LoadScopeScheduling):
    """Groups first, the largest ahead; then every other test on its own, to whichever worker is free."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forget what is done: otherwise every test counts all that were done before it."""
        super().mark_test_complete(node, item_index, duration)
        assigned = self.assigned_work[node]
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(assigned[scope].values()):
            del assigned[scope]
