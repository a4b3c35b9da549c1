"""After a fit on Dask or from a path, rows to come are treated as after a fit in memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arss

da = pytest.importorskip("dask.array")
arss_dask = pytest.importorskip("arss.dask")


@pytest.mark.parametrize("settings", [{}, {"metric": "cosine"}, {"metric": "manhattan"}, {"scale": "robust"}])
def test_rows_to_come(client: Any, settings: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(500, 4)) + 5.0
    rows[3] = 90.0
    inside = arss.Exemplars(7, **settings).fit(rows)
    there = arss_dask.Exemplars(7, **settings).fit(da.from_array(rows, chunks=(120, 4)), client=client)
    np.save(tmp_path / "rows.npy", rows)
    outside = arss.Exemplars(7, **settings).fit(tmp_path / "rows.npy")
    for other in (there, outside):
        assert np.array_equal(other.sample_indices_, inside.sample_indices_)
        assert np.array_equal(other.predict(rows), inside.labels_)
        np.testing.assert_allclose(other.score_samples(rows), -inside.outlier_scores_, rtol=1e-9)
        np.testing.assert_allclose(other.transform(rows), inside.transform(rows), rtol=1e-6, atol=1e-12)
        assert other.score(rows) == pytest.approx(inside.score(rows))
        arss.Model.of(other).save(tmp_path / "m.arss")
        assert np.array_equal(arss.Model.load(tmp_path / "m.arss").predict(rows), inside.labels_)
        (tmp_path / "m.arss").unlink()


def test_distances_are_for_tables_in_memory(client: Any) -> None:
    rows = np.random.default_rng(2).normal(size=(60, 60))
    for metric in ("precomputed", lambda a, b: float(abs(a - b).max())):
        with pytest.raises(ValueError, match="needs the whole table in memory"):
            arss_dask.Exemplars(3, metric=metric).fit(da.from_array(rows, chunks=(20, 60)), client=client)
