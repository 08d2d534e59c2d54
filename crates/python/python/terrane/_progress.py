"""How far long work is, told to people."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = bool | Callable[[str, float], object]


class _Line:
    """A line on standard error that is written over again and again."""

    def __init__(self) -> None:
        self.shown = ""

    def __call__(self, stage: str, share: float) -> None:
        text = f"{stage:<24} {share:4.0%}"
        if text != self.shown:
            self.shown = text
            print(f"\r{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print(f"\r{' ' * len(self.shown)}\r", end="", file=sys.stderr, flush=True)


class told:
    """What to call with a stage and a share from 0 to 1, while some work lasts."""

    def __init__(self, progress: Progress) -> None:
        self.line = _Line() if progress is True else None
        self.call = progress if callable(progress) else self.line

    def __enter__(self) -> Callable[[str, float], object] | None:
        return self.call

    def __exit__(self, *_: object) -> None:
        if self.line is not None:
            self.line.end()
