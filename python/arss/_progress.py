"""What a callback sees, and the progress bar of `verbose=1`."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

Observer = Callable[[str, int, int, float, float, float], bool]


class Progress(NamedTuple):
    """How far a run is: what `callback` is called with, once an iteration."""

    #: What is being done: "prepare", "solve", "refine" or "score".
    phase: str
    #: Iterations (or picks, or rows) done in this phase.
    iteration: int
    #: The most there can be in this phase.
    limit: int
    #: The model's objective; NaN where the phase has none.
    objective: float
    #: What the stopping rule compares with `tol`; NaN where there is none.
    residual: float
    #: Relative duality gap; NaN where the model has none.
    gap: float


Callback = Callable[[Progress], object]


class Watch:
    """Shows the progress and asks the callback; a context manager that closes the bar."""

    def __init__(self, name: str, verbose: int | bool, callback: Callback | None) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {callback!r}, but it must be callable or None")
        self._name = name
        self._verbose = int(verbose)
        self._callback = callback
        self._started = self._shown = time.monotonic()
        self._drawn = 0
        self._unseen: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._unseen is not None:
            self._draw(self._unseen)
        if self._drawn:
            print(file=sys.stderr, flush=True)

    def observer(self) -> Observer | None:
        """What the solver shall call; `None` if nobody wants to know."""
        return self._tell if self._verbose > 0 or self._callback is not None else None

    def _tell(self, phase: str, iteration: int, limit: int, objective: float, residual: float, gap: float) -> bool:
        progress = Progress(phase, iteration, limit, objective, residual, gap)
        if self._verbose > 0:
            self._show(progress)
        return bool(self._callback(progress)) if self._callback is not None else False

    def _show(self, progress: Progress) -> None:
        """Draw the progress, or remember it if the last drawing was just now."""
        pause = 0.0 if self._verbose > 1 else 0.1 if _is_live() else 5.0
        if time.monotonic() - self._shown < pause:
            self._unseen = progress
        else:
            self._draw(progress)

    def _draw(self, progress: Progress) -> None:
        self._shown, self._unseen = time.monotonic(), None
        line = self._line(progress, self._shown - self._started)
        if _is_live() and self._verbose == 1:
            # Written over the line before: a terminal and a notebook both understand it.
            print("\r" + line.ljust(self._drawn), end="", file=sys.stderr, flush=True)
            self._drawn = len(line)
        else:
            print(line, file=sys.stderr, flush=True)

    def _line(self, progress: Progress, seconds: float) -> str:
        share = progress.iteration / max(progress.limit, 1)
        bar = ("█" * round(20 * share)).ljust(20)
        words = [f"{self._name} {progress.phase} |{bar}| {progress.iteration}/{progress.limit} [{seconds:.1f} s]"]
        for name in ("objective", "residual", "gap"):
            value = getattr(progress, name)
            if value == value:
                words.append(f"{name} {value:.3g}")
        return ", ".join(words)


def _is_live() -> bool:
    """Whether the line can be drawn again: on a terminal or in a notebook, where the stream is the kernel's own."""
    return sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel.")
