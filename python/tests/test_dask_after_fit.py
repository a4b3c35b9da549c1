"""After a fit on Dask everything that an estimator offers works, or is refused in one line."""

import inspect
import re
from typing import Any

import numpy as np
import pytest

import arss

pytest.importorskip("distributed")
import dask.array as da
import pandas as pd
from distributed import Client

import arss.dask

dd = pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.filterwarnings("ignore")

ESTIMATORS: list[tuple[str, dict[str, Any]]] = [
    ("ARSS", {"max_iter": 5}),
    ("RRSS", {"max_iter": 5}),
    ("TED", {}),
    ("Exemplars", {"landmarks": 64, "scale": "robust"}),
]


def table() -> Any:
    X = np.random.default_rng(3).normal(size=(600, 5)) + np.arange(600)[:, None] % 4
    X[::50] *= 6
    return X


@pytest.mark.parametrize(("name", "settings"), ESTIMATORS)
def test_everything_that_is_offered(client: Client, name: str, settings: dict[str, Any]) -> None:
    """Every public method and attribute of the estimator in memory, called on the one that was fitted on Dask."""
    X = table()
    far_X = da.from_array(X, chunks=(150, 5))
    here = getattr(arss, name)(6, **settings).fit(X)
    there = getattr(arss.dask, name)(6, **settings).fit(far_X)
    for attribute in (a for a in vars(here) if a.endswith("_")):
        found, wanted = getattr(there, attribute), getattr(here, attribute)
        if attribute in ("seconds_", "n_passes_", "all_scores_", "notes_"):
            continue
        if isinstance(wanted, dict):
            assert found.keys() == wanted.keys()
        elif wanted is not None and not isinstance(wanted, str):
            np.testing.assert_allclose(
                np.asarray(found), np.asarray(wanted), rtol=1e-7, atol=1e-8, err_msg=f"{name}.{attribute}"
            )
    takes_rows = [
        method
        for method, function in inspect.getmembers(here, callable)
        if not method.startswith(("_", "fit", "set_", "get_")) and "X" in inspect.signature(function).parameters
    ]
    # The page needs the table at hand, and says so.
    takes_rows.remove("report")
    with pytest.raises(TypeError, match=r"where the table is in memory.*on X\.compute\(\)"):
        there.report(far_X)
    assert "select" in takes_rows and ("predict" in takes_rows) == (name == "Exemplars")
    for method in takes_rows:
        wanted = getattr(here, method)(X)
        for rows in (X, far_X):
            found = np.asarray(getattr(there, method)(rows))
            np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9, err_msg=f"{name}.{method}")


@pytest.mark.parametrize(("name", "settings"), ESTIMATORS)
def test_summary_and_rows_with_labels(client: Client, name: str, settings: dict[str, Any]) -> None:
    X, y = table(), np.arange(600) % 3
    far_X, far_y = da.from_array(X, chunks=(150, 5)), da.from_array(y, chunks=150)
    wanted = getattr(arss, name)(6, **settings).fit_resample(X, y)
    for labels in (y, far_y, pd.Series(y), dd.from_pandas(pd.Series(y), npartitions=3)):
        estimator = getattr(arss.dask, name)(6, **settings)
        rows, chosen = estimator.fit_resample(far_X, labels)
        np.testing.assert_allclose(rows, wanted[0])
        assert np.asarray(chosen).tolist() == wanted[1].tolist()
    shown = estimator._repr_html_()
    assert "6 of 600 rows" in shown and "outlier_scores_.compute()" in shown

    def without_numbers(page: str) -> str:
        """scikit-learn numbers the diagrams of a session."""
        return re.sub(r"sk-(container|estimator)-id-\d+", "", page)

    assert without_numbers(estimator._repr_mimebundle_()["text/html"]) == without_numbers(shown)


def test_pictures(client: Client) -> None:
    plot = pytest.importorskip("arss.plot")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X = table()
    far_X = da.from_array(X, chunks=(150, 5))
    estimator = arss.dask.Exemplars(6, landmarks=64).fit(far_X)
    for rows in (X, far_X):
        assert plot.picks(estimator, rows).collections and plot.coverage(estimator, rows).lines
    assert plot.scores(estimator).lines
    with pytest.raises(ValueError, match="Exemplars does not iterate: there is no convergence to show"):
        plot.convergence(estimator)
    assert plot.convergence(arss.dask.RRSS(4, max_iter=4).fit(far_X)).lines
    estimator.n_rows_ = 10**9
    with pytest.raises(ValueError, match="too many for a picture: fit and show a sample"):
        plot.picks(estimator, far_X)


def test_rows_to_come_in_frames_and_partitions_of_no_rows(client: Client) -> None:
    X = table()
    frame = pd.DataFrame(X, columns=list("abcde"))
    here = arss.Exemplars(6, landmarks=64).fit(frame)
    there = arss.dask.Exemplars(6, landmarks=64).fit(dd.from_pandas(frame, npartitions=4))
    parts = dd.from_pandas(frame, npartitions=3)
    for rows in (parts, parts[parts.a > -100], dd.concat([parts[parts.a < -100], parts])):
        assert there.predict(rows).compute().tolist() == here.labels_.tolist()
        assert there.transform(rows).compute().shape == (600, 6)
        assert there.score(rows) == pytest.approx(here.score(frame))
    lazy = there.predict(parts)
    assert isinstance(lazy, da.Array)
    with pytest.raises(ValueError, match=r"columns|[Ff]eature"):
        there.predict(dd.from_pandas(frame[["a", "b"]], npartitions=2)).compute()


@pytest.mark.usefixtures("tasks_only")
def test_tasks_are_called_like_their_step(client: Client) -> None:
    """What a dashboard groups tasks by: one name for each kind of step, whatever the run."""
    arss.dask.TED(8).fit(da.from_array(table(), chunks=(150, 5)))
    arss.dask.RRSS(4, max_iter=12, tol=0).fit(da.from_array(table(), chunks=(150, 5)))
    groups = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    ours = {group for group in groups if group.startswith("arss")}
    assert {"arss-rows", "arss-ted-take", "arss-rrss-solve", "arss-rrss-weights"} <= ours, ours
    assert not any(any(letter.isdigit() for letter in group) for group in ours), ours
