"""The judge: holds the process that makes children, and grades answers. It never runs a learner's line."""

from __future__ import annotations

import gc
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from gradclinic.grading import servers
from gradclinic.grading.answers import Answer
from gradclinic.grading.isolation import offered
from gradclinic.grading.limits import Limits
from gradclinic.grading.servers import ForkServer, FreshProcesses, ServerLost
from gradclinic.grading.verdict import Verdict

if TYPE_CHECKING:  # these import torch, which must wait for the fork
    from gradclinic.grading.runner import Attempt
    from gradclinic.grading.session import Budget, Session

_T = TypeVar("_T")


class Judge:
    """Make it before anything reads a check: it imports torch and forks, and what is read later stays here.

    With `root`, children are confined (see `confine.py`), and answers must lie in folders of their own below it.
    `server`: one that has been started with that root.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        in_process: bool = False,
        root: Path | None = None,
        server: ForkServer | FreshProcesses | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self._server = None if in_process else server or servers.start(root)
        if sys.platform == "darwin" and isinstance(self._server, ForkServer) and not self.fork_works():
            self._server.close()
            self._server = FreshProcesses()  # where Accelerate does not survive a fork
        if root is not None:
            _settle_for_a_class()
        self.isolation = self._server.kind if self._server else "in-process"
        if self._server and self._server.root:
            self.isolation = str(offered())  # until a child tells that something is missing here

    def attempt(self, answer: Answer, seed: int | None = None) -> Attempt:
        """One answer, ready to be checked. `seed` makes the inputs repeatable."""
        from gradclinic.grading.runner import Attempt

        self._preload(answer)
        seed = secrets.randbits(32) if seed is None else seed
        return Attempt(answer, self._session, self.limits.seconds, seed, self.isolation)

    def grade(self, answer: Answer, seed: int | None = None) -> Verdict:
        """All checks of the answer's exercise. Whatever the learner's code does is in the verdict."""
        return self.attempt(answer, seed).verdict()

    def fork_works(self) -> bool:
        """Whether a forked child can do a parallel-sized product and its backward within 5 seconds."""
        from gradclinic.grading.session import Budget, ChildEnded

        session = self._session(Path(__file__).with_name("selftest.py"), Budget(5.0))
        try:
            session.load()
            return bool(session.call("works", (), seed=0).result == 128.0)
        except ChildEnded:
            return False
        finally:
            session.close()

    def _preload(self, answer: Answer) -> None:
        # the first optimizer imports torch._dynamo: 0.8 s that every child would pay
        if self._server is not None and "torch._dynamo" not in self._server.preloaded:
            try:
                source = answer.read()
            except OSError:
                return
            if b"optim" in source or b"torch.func" in source:
                self._on_server(lambda server: server.preload("torch._dynamo"))

    def _session(self, file: Path, budget: Budget, *, replay: bool = False) -> Session:
        from gradclinic.grading.session import ChildSession, InProcessSession

        if self._server is None:
            return InProcessSession(file)
        if replay:  # from the first failed check on; who passes never pays for it
            self._on_server(lambda server: server.preload("gradclinic.grading.replay"))
        session = self._on_server(lambda server: ChildSession(server, file, self.limits, budget))
        if session.missing:
            confined = str(offered().without(session.missing)) if self._server.root else ""
            self.isolation = confined or "; ".join([self._server.kind, *session.missing])
        return session

    def _on_server(self, ask: Callable[[ForkServer | FreshProcesses], _T]) -> _T:
        assert self._server is not None
        try:
            return ask(self._server)
        except ServerLost:
            lost = self._server
            self._server = ForkServer.execute(lost.root) if isinstance(lost, ForkServer) else FreshProcesses()
            lost.close()
            for module in lost.preloaded:
                self._server.preload(module)
            return ask(self._server)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _settle_for_a_class() -> None:
    """One import that every grading needs, then no collection walks through it again."""
    from gradclinic.grading import runner  # noqa: F401

    gc.collect()
    gc.freeze()
