"""Pictures and texts."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import arss
from arss import _extras, _media, _network

TEXTS = [
    "the cat sat on the mat with another cat",
    "a cat and a kitten purr on a mat",
    "kitten and cat purr all day",
    "purr said the kitten to the cat",
    "stocks fell as the market closed lower",
    "the market fell and stocks closed",
    "lower stocks and a falling market",
    "stocks rose before the market closed",
]


def write_png(path: Path, light: np.ndarray) -> None:
    """A grey picture, without any package for pictures."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width = light.shape
    rows = b"".join(b"\0" + row.tobytes() for row in light.astype(np.uint8))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    content = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + content)


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stripes of two kinds, a copy, a black picture and a file that is none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "photos"
    folder.mkdir()
    x, y = np.meshgrid(np.arange(48), np.arange(48))
    for number in range(10):
        write_png(folder / f"across{number}.png", np.where(x // 5 % 2, 150, 20) + 9 * number)
        write_png(folder / f"down{number}.png", np.where(y // 5 % 2, 150, 20) + 9 * number)
    (folder / "zcopy.png").write_bytes((folder / "down4.png").read_bytes())
    write_png(folder / "night.png", np.zeros((20, 20)))
    (folder / "broken <b>.png").write_text("no picture")
    return folder


def test_pictures_of_each_kind(photos: Path) -> None:
    picks = arss.images(photos, 2, embeddings="builtin")
    assert sorted(name[:4] for name in (Path(path).name for path in picks.chosen)) == ["acro", "down"]
    assert picks.stands_for.sum() == 21
    assert [picks.names[item] for item in picks.blank] == ["night.png"]
    assert [path.name for path, _ in picks.unreadable] == ["broken <b>.png"]
    exact = [(picks.names[file], picks.names[of]) for file, of, same in picks.duplicates if same]
    assert exact == [("zcopy.png", "down4.png")]
    html = picks.show()._repr_html_()
    assert html.count("data:image/png;base64,") == 2
    assert picks._repr_html_() == html
    assert repr(picks) == "<2 of 23 images>"
    assert "\n" not in repr(picks.show())
    assert len(repr(picks.show())) < 80
    near = picks.neighbours(0, 3)
    own = picks.names[picks.indices[0]][:4]
    assert len(near) == 3 and all(picks.names[item][:4] == own for item in near if picks.names[item] != "zcopy.png")
    assert (photos.parent / "cache" / "arss" / "pictures.bin").is_file()


def test_own_numbers(photos: Path) -> None:
    count = len(arss.images(photos, 1, embeddings="builtin").names)
    values = np.arange(count)[:, None] % 3 + np.zeros((count, 4))
    values += 1e-3 * np.random.default_rng(0).normal(size=values.shape)
    picks = arss.images(photos, 3, embeddings=values)
    assert sorted(int(item) % 3 for item in picks.indices) == [0, 1, 2]
    with pytest.raises(ValueError, match=r"shape \(3, 4\), but there are 23 items"):
        arss.images(photos, 1, embeddings=values[:3])
    with pytest.raises(ValueError, match="must be 'auto', 'builtin', 'network' or an array"):
        arss.images(photos, 1, embeddings="nonsense")


def test_the_network_is_asked_for_politely(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_network, "has_network", lambda: False)
    monkeypatch.setattr(_media, "has_network", lambda: False)
    with pytest.raises(ImportError, match=r"pip install 'arss\[images\]'"):
        arss.images(photos, 1, embeddings="network")
    assert len(arss.images(photos, 2).indices) == 2


@pytest.mark.skipif(not _extras.has_network(), reason="the extra images is not installed")
def test_the_network(photos: Path) -> None:
    picks = arss.images(photos, 2, embeddings="network")
    assert picks.features.shape[1] == 1280
    assert sorted(Path(path).name[:4] for path in picks.chosen) == ["acro", "down"]
    model = photos.parent / "cache" / "arss" / "efficientnet-lite0.onnx"
    assert model.stat().st_mode & 0o777 == 0o600
    model.write_bytes(b"broken")
    (photos.parent / "cache" / "arss" / "network.bin").unlink()
    _network._sessions.clear()
    _network._known.clear()
    again = arss.images(photos, 2, embeddings="network")
    assert (again.indices == picks.indices).all()


def test_texts_of_each_kind(tmp_path: Path) -> None:
    picks = arss.texts(TEXTS, 2)
    assert sorted("cat" in text for text in picks.chosen) == [False, True]
    assert "cat" in picks.terms[0] and "<i>" in picks.show().html
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text)
    files = arss.texts(tmp_path, 2)
    assert sorted(int(item) < 4 for item in files.indices) == [False, True]
    assert (files.indices == picks.indices).all()


def test_a_text_is_no_markup() -> None:
    texts = [f"<script>alert(1)</script> {word} and more {word}" for word in ("tea", "sea", "tea", "sea", "tea")]
    assert "<script>" not in arss.texts(texts, 2).show().html


def test_texts_that_repeat_others_are_chosen_once() -> None:
    picks = arss.texts([*TEXTS, TEXTS[0], TEXTS[0].upper()], 4)
    assert [(file, of) for file, of, _ in picks.duplicates] == [(8, 0), (9, 0)]
    assert not {8, 9} & set(picks.indices.tolist())


def test_vectorisers_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    for vectoriser in (TfidfVectorizer(), CountVectorizer(dtype=np.float64), HashingVectorizer(n_features=64)):
        matrix = vectoriser.fit_transform(TEXTS)
        sparse = arss.Exemplars(2).fit(matrix)
        dense = arss.Exemplars(2).fit(matrix.toarray())
        assert (sparse.sample_indices_ == dense.sample_indices_).all()
    chosen = make_pipeline(TfidfVectorizer(), arss.Exemplars(2, metric="cosine")).fit(TEXTS)[-1].sample_indices_
    assert sorted(item < 4 for item in chosen.tolist()) == [False, True]


def test_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="the list of files is empty"):
        arss.images([], 2)
    with pytest.raises(ValueError, match="the list of texts is empty"):
        arss.texts([], 2)
