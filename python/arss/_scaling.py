"""Columns on one scale: by the core, as the command line does it."""

import warnings
from typing import Any

from arss import _core
from arss._input import Input, explain_not_finite

AUTO = "auto"
SCALES = (AUTO, "none", "robust", "standard", "unit")


def wanted(scale: Any) -> str | None:
    """The core's name of a scaling, `None` if the values stay as they come."""
    if scale not in SCALES:
        raise ValueError(f"scale={scale!r}, but it must be one of {', '.join(map(repr, SCALES))}")
    return None if scale in (AUTO, "none") else str(scale)


def scaled(data: Input, how: str) -> tuple[Input, "list[_core.Measured] | None"]:
    """The table on the new scale, and what was measured of its columns."""
    try:
        table, columns = _core.scale(data.table, how, data.categories)
    except _core.NotFinite:
        raise ValueError(explain_not_finite(data.table, data.names, data.kept)) from None
    warn_constant(columns)
    return data._replace(table=table), columns


def warn_constant(columns: "list[_core.Measured] | None") -> None:
    """Say that there was nothing to scale by, if so."""
    if columns is None:
        warnings.warn("every column is constant: all rows are alike", UserWarning, stacklevel=5)
