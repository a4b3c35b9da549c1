"""Tables that are read when they are needed: the same rows as in memory, within a bounded memory."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

import arss

METHODS: list[tuple[type, dict[str, Any]]] = [
    (arss.ARSS, {}),
    (arss.RRSS, {}),
    (arss.TED, {}),
    (arss.Exemplars, {"landmarks": 64, "refine": 1}),
    (arss.Exemplars, {"landmarks": 64, "nested": True}),
    (arss.Exemplars, {"landmarks": 64, "gate": False}),
    (arss.FacilityLocation, {"random_state": 0}),
]


def table() -> NDArray[np.float64]:
    X = np.random.default_rng(3).normal(size=(5000, 6)) + np.arange(5000)[:, None] % 3
    X[::61] *= 4
    return X


@pytest.mark.parametrize(("method", "settings"), METHODS)
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_a_file_gives_what_the_table_gives(method: type, settings: dict[str, Any], kind: str, tmp_path: Path) -> None:
    X = table().astype(kind)
    np.save(tmp_path / "table.npy", X)
    here = method(12, **settings).fit(X)
    there = method(12, **settings).fit(tmp_path / "table.npy", memory="100K", scratch=tmp_path)
    np.testing.assert_array_equal(there.sample_indices_, here.sample_indices_)
    np.testing.assert_array_equal(there.scores_, here.scores_)
    np.testing.assert_array_equal(there.outlier_scores_, here.outlier_scores_)
    if hasattr(here, "labels_"):
        np.testing.assert_array_equal(there.labels_, here.labels_)
    if isinstance(here, arss.Exemplars):
        assert (there.n_outliers_, there.outlier_confidence_) == (here.n_outliers_, here.outlier_confidence_)
    np.testing.assert_array_equal(there.select(X), here.select(X))
    assert [path.name for path in tmp_path.iterdir()] == ["table.npy"]


def test_parquet_and_batches(tmp_path: Path) -> None:
    X = table()
    picks = arss.TED(7).fit(X).sample_indices_.tolist()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=700)
    found = arss.TED(7).fit(str(tmp_path / "table.parquet"))
    assert found.sample_indices_.tolist() == picks and found.feature_names_in_.tolist() == list("abcdef")

    def batches() -> Iterator[NDArray[np.float64]]:
        yield from np.array_split(X, 9)

    assert arss.TED(7).fit(batches).sample_indices_.tolist() == picks
    np.save(tmp_path / "columns.npy", np.asfortranarray(X))
    assert arss.TED(7).fit(tmp_path / "columns.npy").sample_indices_.tolist() == picks


def test_every_format_of_the_command_line(tmp_path: Path) -> None:
    X = table()[:1500]
    frame = pd.DataFrame(X, columns=list("abcdef"))
    picks = arss.Exemplars(7, landmarks=64).fit(X).sample_indices_.tolist()
    frame.to_csv(tmp_path / "plain.csv", index=False)
    frame.to_csv(tmp_path / "semicolon.csv.gz", index=False, sep=";")
    frame.to_feather(tmp_path / "table.feather")
    frame.to_json(tmp_path / "table.jsonl", orient="records", lines=True, double_precision=15)
    np.savez(tmp_path / "table.npz", table=X)
    frame[:500].to_parquet(tmp_path / "part-0.parquet")
    frame[500:].to_parquet(tmp_path / "part-1.parquet")
    names = ["plain.csv", "semicolon.csv.gz", "table.feather", "table.jsonl", "table.npz", "part-*.parquet", "parts"]
    for end in ("bz2", "xz", "zip"):
        frame.to_csv(tmp_path / f"packed.csv.{end}", index=False)
        names.append(f"packed.csv.{end}")
    frame.to_json(tmp_path / "table.json", orient="records", double_precision=15)
    names.append("table.json")
    (tmp_path / "parts").mkdir()
    frame[:300].to_csv(tmp_path / "parts" / "0.csv", index=False)
    frame[300:].to_csv(tmp_path / "parts" / "1.csv", index=False)
    for name in names:
        found = arss.Exemplars(7, landmarks=64).fit(tmp_path / name)
        assert found.sample_indices_.tolist() == picks, name
        assert found.n_rows_ == len(X) and found.n_features_in_ == 6
    with_text = frame.assign(kind="x")
    with_text.to_csv(tmp_path / "text.csv", index=False)
    with pytest.warns(UserWarning, match="left out: kind"):
        assert arss.Exemplars(7, landmarks=64).fit(tmp_path / "text.csv").sample_indices_.tolist() == picks


def test_weights_and_groups_of_rows_in_a_file(tmp_path: Path) -> None:
    X = table()
    np.save(tmp_path / "table.npy", X)
    weights = np.random.default_rng(1).random(len(X))
    groups = np.array(["a", "b", "c"])[np.arange(len(X)) % 3]
    for selector in (
        arss.Exemplars(9, landmarks=64, refine=1, quotas={"a": 2, "b": 3}),
        arss.Exemplars(9, landmarks=64, refine=1, include=[4]),
    ):
        here = clone(selector).fit(X, sample_weight=weights, groups=groups)
        there = clone(selector).fit(tmp_path / "table.npy", sample_weight=weights, groups=groups)
        np.testing.assert_array_equal(there.sample_indices_, here.sample_indices_)
        np.testing.assert_array_equal(there.shares_, here.shares_)
    here = arss.TED(9).fit(X, sample_weight=weights)
    there = arss.TED(9).fit(tmp_path / "table.npy", sample_weight=weights)
    np.testing.assert_array_equal(there.sample_indices_, here.sample_indices_)
    with pytest.raises(ValueError, match=r"one weight per row|shape \(3,\)"):
        arss.TED(9).fit(tmp_path / "table.npy", sample_weight=[1.0, 2.0, 3.0])


def test_bad_files_are_named(tmp_path: Path) -> None:
    X = table()
    X[77, 3] = np.nan
    np.save(tmp_path / "hole.npy", X)
    with pytest.raises(ValueError, match="row 77, column 3 is NaN"):
        arss.TED(3).fit(tmp_path / "hole.npy")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npy is no file"):
        arss.TED(3).fit(tmp_path / "nowhere.npy")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv is no file"):
        arss.TED(3).fit(tmp_path / "nowhere.csv")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n3,\n")
    with pytest.raises(ValueError, match=r"table\.csv: "):
        arss.TED(1).fit(tmp_path / "table.csv")
    with pytest.raises(ValueError, match="memory='much'"):
        arss.TED(3).fit(tmp_path / "hole.npy", memory="much")
    with pytest.raises(ValueError, match="there are no rows"):
        arss.TED(3).fit(lambda: iter([]))
    with pytest.raises(ValueError, match="row 4: the columns differ"):
        arss.TED(3).fit(lambda: iter([np.ones((4, 3)), np.ones((4, 2))]))
    with pytest.raises(ValueError, match="kernel='rbf' needs the whole table"):
        arss.TED(3, kernel="rbf").fit(tmp_path / "hole.npy")
    with pytest.raises(ValueError, match="kmeans needs the whole table"):
        arss.KMeansSelector(3).fit(tmp_path / "hole.npy")


PEAK = """
import resource, sys
import arss
arss.TED(2).fit([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0]])  # everything is imported
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
arss.ARSS(5, max_iter=2, tol=0, n_jobs=2).fit(sys.argv[1], memory="16M", scratch=sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.filterwarnings("ignore")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """A file of 64 MB, four times the memory: the process grows by the memory and a few numbers per row."""
    rows, columns = 250_000, 32
    file = np.lib.format.open_memmap(tmp_path / "big.npy", mode="w+", dtype=np.float64, shape=(rows, columns))
    generator = np.random.default_rng(0)
    for start in range(0, rows, 50_000):
        file[start : start + 50_000] = generator.normal(size=(50_000, columns))
    del file
    command = [sys.executable, "-W", "ignore", "-c", PEAK, str(tmp_path / "big.npy"), str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(found.stdout) * 1024 < 16 * 2**20 + 4 * 8 * rows + 8 * 2**20


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_how_a_file_is_read_can_be_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    expected = arss.select(frame[["a", "b"]], 5, return_indices=True)[1].tolist()

    text = tmp_path / "t.txt"
    text.write_bytes(("% männlich\n" + frame.to_csv(sep="|", index=False, decimal=",")).encode("latin-1"))
    reading: dict[str, Any] = {"delimiter": "|", "decimal": ",", "comment": "%", "encoding": "latin-1"}
    reading["columns"] = ["a", "b"]
    assert arss.Exemplars(5).fit(text, reading=reading).sample_indices_.tolist() == expected
    reading = {"delimiter": "|", "decimal": ",", "comment": "%", "header": True, "as": {"c": "identifier"}}
    assert arss.TED(5).fit(str(text), reading=reading).n_features_in_ == 2

    book = tmp_path / "t.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"note": ["nothing here"]}).to_excel(writer, sheet_name="about", index=False)
        frame.to_excel(writer, sheet_name="data", index=False)
    selector = arss.Exemplars(5).fit(book, reading={"sheet": "data", "exclude": ["c"]})
    assert selector.sample_indices_.tolist() == expected

    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"delimiter": "ab"}, r"reading\[\"delimiter\"\] is ab, but one character"),
        ({"colour": "red"}, "the options of reading are format"),
        ({"columns": 3}, "a list of names is taken"),
        ({"as": {"c": "friend"}}, "the roles are"),
        ({"sheet": "nowhere"}, "sheet"),
    )
    for reading, said in wrong:
        with pytest.raises(ValueError, match=said):
            arss.Exemplars(5).fit(book, reading=reading)
    with pytest.raises(ValueError, match="reading is for the path of a file"):
        arss.Exemplars(5).fit(frame, reading={"sheet": "data"})
