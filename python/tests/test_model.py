"""Model files: the command line and Python read each other's, and say the same."""

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss
from arss import _core

pd = pytest.importorskip("pandas")


@pytest.fixture
def frame() -> Any:
    rng = np.random.default_rng(4)
    rows = 300
    found = pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "colour": rng.choice(["red", "green", "blue", "odd"], rows, p=[0.4, 0.3, 0.295, 0.005]),
            "paid": rng.random(rows) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 200, rows), "D"),
            "y": rng.normal(size=rows) * 3,
        }
    )
    found.loc[7, "x"] = 80.0
    found.loc[9, "y"] = np.nan
    found.loc[11, "colour"] = None
    return found


def applied(model: Path, table: Path, capfd: Any) -> tuple[list[int], list[float]]:
    capfd.readouterr()
    assert _core.main(["arss", "apply", str(model), str(table), "-o", "-", "--quiet"]) == 0
    rows = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    return [int(row["exemplar"]) for row in rows], [float(row["outlier_score"]) for row in rows]


def test_python_reads_what_the_command_line_wrote(frame: Any, tmp_path: Path, capfd: Any) -> None:
    path, model = tmp_path / "t.csv", tmp_path / "m.arss"
    frame.to_csv(path, index=False)
    for flags in ([], ["--encode", "ordinal"], ["--scale", "standard"]):
        command = ["arss", "select", str(path), "-k", "8", "--model", str(model), "--quiet", "--force", *flags]
        assert _core.main(command) == 0
        exemplars, scores = applied(model, path, capfd)
        loaded = arss.Model.load(model)
        assert [loaded.picks[label] for label in loaded.predict(frame)] == exemplars
        np.testing.assert_allclose(loaded.score_samples(frame), -np.array(scores), rtol=1e-9)
        assert loaded.score_samples(frame)[7] < -1
        assert repr(loaded) == f"<Model: exemplars, 8 picks of {loaded.about['table']}>"


def test_the_command_line_reads_what_python_wrote(frame: Any, tmp_path: Path, capfd: Any) -> None:
    path, model = tmp_path / "t.csv", tmp_path / "m.arss"
    frame.to_csv(path, index=False)
    variants: tuple[dict[str, Any], ...] = ({"scale": "robust"}, {"metric": "cosine"}, {})
    for settings in variants:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = arss.Exemplars(8, encode="auto", missing="auto", **settings).fit(frame)
        arss.Model.of(selector).save(model)
        exemplars, scores = applied(model, path, capfd)
        assert exemplars == selector.sample_indices_[selector.labels_].tolist()
        np.testing.assert_allclose(scores, selector.outlier_scores_, rtol=1e-9)
        loaded = arss.Model.load(model)
        assert np.array_equal(loaded.predict(frame), selector.predict(frame))
        np.testing.assert_allclose(loaded.score_samples(frame), selector.score_samples(frame), rtol=1e-9)


def test_arrays_of_other_methods(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(90, 4))
    selector = arss.KMedoidsSelector(5).fit(rows)
    arss.Model.of(selector).save(tmp_path / "m.arss")
    loaded = arss.Model.load(tmp_path / "m.arss")
    assert np.array_equal(loaded.predict(rows), selector.labels_)
    assert loaded.picks == selector.sample_indices_.tolist()
    with pytest.raises(ValueError, match="a model of kmedoids tells no outliers"):
        loaded.score_samples(rows)
    with pytest.raises(ValueError, match="X must be a table of 4 columns"):
        loaded.predict(rows[:, :3])
    rows[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column '1' is missing, and the model fills nothing in"):
        loaded.predict(rows)


def test_bad_files_are_refused(frame: Any, tmp_path: Path) -> None:
    (tmp_path / "no.arss").write_bytes(b"no model")
    with pytest.raises(ValueError, match="is no model"):
        arss.Model.load(tmp_path / "no.arss")
    model = arss.Model.of(arss.Exemplars(3).fit(frame[["x"]].to_numpy()))
    model.save(tmp_path / "m.arss")
    bytes_ = bytearray((tmp_path / "m.arss").read_bytes())
    bytes_[len(bytes_) // 2] ^= 255
    (tmp_path / "m.arss").write_bytes(bytes_)
    with pytest.raises(ValueError, match="is a damaged model"):
        arss.Model.load(tmp_path / "m.arss")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = arss.Exemplars(3, encode="auto", missing="auto").fit(frame)
    with pytest.raises(ValueError, match="X lacks columns that the model needs: colour, paid"):
        arss.Model.of(selector).predict(frame[["x", "y", "day"]])


def test_a_save_that_fails_leaves_the_old_file(frame: Any, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "m.arss"
    rows = frame[["x"]].to_numpy()
    arss.Model.of(arss.KMedoidsSelector(3).fit(rows)).save(path)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))
    try:
        with pytest.raises((OSError, ValueError), match=r"m\.arss"):
            arss.Model.of(arss.KMedoidsSelector(9).fit(rows)).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m.arss"]
