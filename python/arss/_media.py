"""Pictures and texts: look at the few that stand for all."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arss import _core
from arss._exemplars import Exemplars
from arss._extras import has_network
from arss._random import RandomState, seed

Source = str | PathLike[str] | Iterable[str | PathLike[str]]

_SIDE = 128
_STYLE = (
    "<style>.arss-picks{display:flex;flex-wrap:wrap;gap:12px;font:13px sans-serif}"
    ".arss-picks figure{margin:0;max-width:22em}.arss-picks img{max-width:128px;max-height:128px}"
    ".arss-picks figcaption{overflow-wrap:anywhere}</style>"
)


@dataclass(frozen=True, repr=False)
class Picks:
    """What `arss.images` or `arss.texts` chose, best first.

    Items are numbered as they were given: pictures of a folder in the order of their names. `names`, `labels` and
    `outlier_scores` have an entry for each; an item that cannot be read or shows nothing has label -1 and score NaN.
    """

    kind: Literal["images", "texts"]
    names: list[str]
    indices: NDArray[np.intp]
    shares: NDArray[np.float64]
    labels: NDArray[np.intp]
    outlier_scores: NDArray[np.float64]
    features: NDArray[np.float32]
    paths: list[Path] = field(default_factory=list)
    duplicates: list[tuple[int, int, bool]] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """One line; `show()` and notebooks show the picks themselves."""
        return f"<{len(self.indices)} of {len(self.names)} {self.kind}>"

    @property
    def chosen(self) -> list[str]:
        """The names of the picks: paths of pictures, the texts themselves."""
        if self.kind == "images":
            return [str(self.paths[item]) for item in self.indices]
        return [(self.texts or self.names)[item] for item in self.indices]

    @property
    def stands_for(self) -> NDArray[np.intp]:
        """How many items each pick stands for."""
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.indices))

    def strangest(self, count: int = 10) -> list[int]:
        """The items with the largest outlier scores, the strangest first."""
        order = np.argsort(-np.nan_to_num(self.outlier_scores, nan=-np.inf), kind="stable")
        return [int(item) for item in order[:count] if np.isfinite(self.outlier_scores[item])]

    def neighbours(self, rank: int, count: int = 8) -> list[int]:
        """The items nearest to the pick of this rank (from 0), without itself."""
        used = np.flatnonzero(self.labels >= 0)
        values = self.features[used]
        own = self.features[self.indices[rank]]
        near = used[np.argsort(((values - own) ** 2).sum(axis=1), kind="stable")]
        return [int(item) for item in near if item != self.indices[rank]][:count]

    def show(self, count: int | None = None) -> "Page":
        """The picks as a notebook shows them: pictures with the number each stands for, texts with their terms."""
        figures = [self._figure(rank) for rank in range(min(count or len(self.indices), len(self.indices)))]
        return Page(f"{_STYLE}<div class='arss-picks'>{''.join(figures)}</div>")

    def _repr_html_(self) -> str:
        return self.show(24)._repr_html_()

    def _figure(self, rank: int) -> str:
        item = self.indices[rank]
        count = f"{rank + 1}. stands for {self.stands_for[rank]}"
        if self.kind == "images":
            png = _core.thumbnail(self.paths[item], _SIDE)
            image = f"<img alt='' src='data:image/png;base64,{b64encode(png).decode()}'>" if png else ""
            return f"<figure>{image}<figcaption>{count}<br>{escape(self.names[item])}</figcaption></figure>"
        text = self.texts[item] if self.texts else self.names[item]
        shown = text if len(text) <= 200 else text[:200] + "..."
        terms = f"<br><i>{escape(self.terms[item])}</i>" if self.terms else ""
        return f"<figure><figcaption>{count}{terms}<br>{escape(shown)}</figcaption></figure>"


@dataclass(frozen=True)
class Page:
    """A piece of HTML that notebooks show."""

    html: str

    def __repr__(self) -> str:
        """One line: the page itself holds pictures."""
        return f"<page of {len(self.html)} letters, shown in notebooks>"

    def _repr_html_(self) -> str:
        return self.html


def images(
    source: Source,
    k: int | float | Literal["auto"] = 24,
    *,
    embeddings: ArrayLike | Literal["auto", "builtin", "network"] = "auto",
    gate: bool = True,
    cache: bool = True,
    random_state: RandomState = 0,
) -> Picks:
    """The pictures that stand for all.

    Parameters
    ----------
    source : path or list of paths
        A folder (with the folders in it), a pattern, or pictures. What cannot be read is listed in `unreadable`.
    k : int, float or "auto", default=24
        How many: a number, a share, or as many as pay.
    embeddings : "auto", "builtin", "network" or array of shape (n_pictures, n_numbers), default="auto"
        What pictures are compared by. "builtin": colours of a thumbnail and directions of edges, 288 numbers.
        "network": an ImageNet network, with `pip install arss[images]`. "auto" is the network if it is installed. An
        array: your own numbers, a row for each picture in the order of `names`, or for each that can be read.
    gate : bool, default=True
        Leave strange pictures, and those that show nothing, out of the choice.
    cache : bool, default=True
        Keep what was computed in the user's cache folder, so that the next run is quick.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the choice.

    Returns
    -------
    Picks
        Near copies count, but none is chosen twice.

    Examples
    --------
    >>> import arss
    >>> arss.images("photos", 24).show()  # doctest: +SKIP
    """
    found = _core.read_media(_paths(source), kind="images", cache=cache, keep_blank=not gate, seed=0)
    return _choose("images", found, _numbers(found, embeddings, cache), (k, gate, random_state))


def texts(
    source: Source,
    k: int | float | Literal["auto"] = 20,
    *,
    embeddings: ArrayLike | None = None,
    gate: bool = True,
    random_state: RandomState = 0,
) -> Picks:
    """The texts that stand for all, compared by their words in any language.

    Parameters
    ----------
    source : list of texts, or the path of a folder of text files
        The texts.
    k : int, float or "auto", default=20
        How many: a number, a share, or as many as pay.
    embeddings : array of shape (n_texts, n_numbers), default=None
        Your own numbers, a row a text, instead of those of the words.
    gate : bool, default=True
        Leave strange texts out of the choice.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the choice.

    Returns
    -------
    Picks
        With the distinctive `terms` of each text. Near copies count, but none is chosen twice.

    Examples
    --------
    >>> import arss
    >>> reviews = ["good tea", "very good tea", "bad coffee", "bad cold coffee", "good warm tea", "bad tea"]
    >>> len(arss.texts(reviews, 2).chosen)
    2
    """
    if isinstance(source, str | PathLike):
        found = _core.read_media(_paths(source), kind="texts", seed=0)
        given: list[str] = []
    else:
        given = ["" if _is_missing(text) else str(text) for text in getattr(source, "to_pylist", lambda: source)()]
        if not given:
            raise ValueError("the list of texts is empty")
        found = _core.read_texts(given, seed=0)
    values = None if embeddings is None else _own(embeddings, found)
    return _choose("texts", found, values, (k, gate, random_state), texts=given)


def _is_missing(text: object) -> bool:
    """Whether there is no text: it has no words then, and not the word "nan"."""
    return text is None or type(text).__name__ == "NAType" or bool(text != text)


def _paths(source: Source) -> list[Path]:
    if isinstance(source, str | PathLike):
        return [Path(source)]
    paths = [Path(path) for path in source]
    if not paths:
        raise ValueError("the list of files is empty")
    return paths


def _own(embeddings: ArrayLike, found: "_core.Found") -> NDArray[np.float32]:
    """A row for each item."""
    values = np.asarray(embeddings, dtype=np.float32)
    total, readable = len(found["names"]), len(found["readable"])
    if values.ndim != 2 or len(values) not in (total, readable):
        raise ValueError(f"embeddings have the shape {values.shape}, but there are {total} items: a row for each")
    return values if len(values) == total else _spread(values, found)


def _spread(values: NDArray[np.float32], found: "_core.Found") -> NDArray[np.float32]:
    """The rows of readable items, with zeros in between for the others."""
    spread = np.zeros((len(found["names"]), values.shape[1]), dtype=np.float32)
    spread[found["readable"]] = values
    return spread


def _numbers(found: "_core.Found", embeddings: ArrayLike | str, cache: bool) -> NDArray[np.float32] | None:
    """The numbers of all pictures, or None for the built-in ones."""
    if not isinstance(embeddings, str):
        return _own(embeddings, found)
    if embeddings not in ("auto", "builtin", "network"):
        raise ValueError(f"embeddings is {embeddings!r}, but it must be 'auto', 'builtin', 'network' or an array")
    if embeddings == "builtin" or (embeddings == "auto" and not has_network()):
        return None
    from arss import _network

    paths = [found["paths"][item] for item in found["readable"]]
    return _spread(_network.embed(paths, cache=cache), found)


def _choose(
    kind: Literal["images", "texts"],
    found: "_core.Found",
    values: NDArray[np.float32] | None,
    settings: tuple[Any, bool, RandomState],
    **more: Any,
) -> Picks:
    k, gate, random_state = settings
    rows = np.asarray(found["rows"], dtype=np.intp)
    used = found["values"] if values is None else values[rows]
    place = {int(row): at for at, row in enumerate(rows)}
    copies = [place[file] for file, _, _ in found["duplicates"] if file in place]
    left = len(used) - len(copies)
    if isinstance(k, int) and k > left >= 0 and (copies or len(used) < len(found["names"])):
        total = len(found["names"])
        raise ValueError(f"k is {k}, but only {left} of {total} {kind} can be chosen: the others are copies or blank")
    chooser = Exemplars(k, gate=gate, exclude=copies, random_state=seed(random_state)).fit(used)
    total = len(found["names"])
    labels = np.full(total, -1, dtype=np.intp)
    labels[rows] = chooser.labels_
    scores = np.full(total, np.nan)
    scores[rows] = chooser.outlier_scores_
    features = np.zeros((total, used.shape[1]), dtype=np.float32)
    features[rows] = used
    return Picks(
        kind=kind,
        names=found["names"],
        indices=rows[chooser.sample_indices_],
        shares=chooser.shares_,
        labels=labels,
        outlier_scores=scores,
        features=features,
        duplicates=found["duplicates"],
        blank=found["blank"],
        paths=found["paths"],
        unreadable=found["unreadable"],
        terms=found["terms"],
        **more,
    )
