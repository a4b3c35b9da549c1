"""Every number of the report page, computed again from the raw table by NumPy: nothing is shared with the program.

What the solvers themselves answer (outlier scores, scores of ARSS, RRSS and TED) is taken as given here; the tests of
the methods check it.
"""

import base64
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROWS = 300
NAMES = ["height", "width", "depth", "age"]
KINDS = ["oak", "ash", "elm"]


def _table(folder: Path) -> tuple[Path, Floats, list[str]]:
    """Rows in three groups and some far out; one column of text that is not chosen by, one that names the rows."""
    rng = np.random.default_rng(5)
    group = np.arange(ROWS) % 3
    values = rng.normal(size=(ROWS, 4)) + 4 * np.column_stack([group == 0, group == 1, group == 2, group == 0])
    values[rng.choice(ROWS, 6, replace=False)] *= 12
    values = values.round(3)
    kinds = [KINDS[k] for k in group]
    path = folder / "trees.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *NAMES, "kind"])
        writer.writerows([f"tree-{i}", *row, kind] for i, (row, kind) in enumerate(zip(values, kinds, strict=True)))
    return path, values, kinds


def _page(folder: Path, *words: str) -> dict[str, Any]:
    target = folder / "page.html"
    command = [sys.executable, "-m", "arss", *words, "--no-config", "--force", "-q", "--report", str(target)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=folder)
    text = target.read_text(encoding="utf-8").split('id="data">', 1)[1].split("</script>", 1)[0]
    found: dict[str, Any] = json.loads(text)
    return found


def _unpacked(page: dict[str, Any], name: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(page["map"][name]), dtype=kind)


def _by_row(page: dict[str, Any], name: str, kind: str) -> NDArray[Any]:
    """A list of the map in the order of the file; all rows are drawn."""
    numbers = _unpacked(page, "numbers", "<u4")
    values = _unpacked(page, name, kind)
    assert sorted(numbers) == list(range(ROWS))
    return values[np.argsort(numbers)]


def _standard(values: Floats) -> Floats:
    scaled: Floats = (values - values.mean(axis=0)) / values.std(axis=0)
    return scaled


def _squared(a: Floats, b: Floats) -> Floats:
    found: Floats = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    return found


def _quantile(values: Floats, share: float) -> float:
    return float(np.sort(values)[int(np.floor(share * (len(values) - 1) + 0.5))])


def _unit(values: Floats) -> float:
    """About the standard deviation, were it normal."""
    middle = _quantile(values, 0.5)
    deciles = (_quantile(values, 0.9) - _quantile(values, 0.1)) / 2.563
    return min(deciles, 1.5 * 1.483 * _quantile(abs(values - middle), 0.5))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Floats, list[str]]:
    folder = tmp_path_factory.mktemp("page")
    path, values, kinds = _table(folder)
    words = ["select", str(path), "-k", "7", "--scale", "standard", "--no-gate", "--label", "kind"]
    return _page(folder, *words), values, kinds


def test_what_was_read(made: tuple[dict[str, Any], Floats, list[str]]) -> None:
    page, values, kinds = made
    told = dict(page["reading"])
    assert told["Read"] == "300 rows and 6 columns of trees.csv."
    assert told["Chosen by"] == "4 of 6 columns."
    assert told["Left out"].startswith("2 columns: id (")
    assert page["headings"] == ["id", *NAMES, "kind"] and page["used"] == [1, 2, 3, 4] and page["total"] == ROWS
    for number, cells in zip(page["rows"]["items"], page["rows"]["cells"], strict=True):
        assert cells[0] == f"tree-{number}" and cells[5] == kinds[number]
        assert [float(cell) for cell in cells[1:5]] == values[number].tolist()
    named = ", ".join(str(card["item"]) for card in page["cards"]["cards"][:5])
    assert f"It chose rows {named}, ... (7 in all)" in page["summary"][1]


def test_cards(made: tuple[dict[str, Any], Floats, list[str]]) -> None:
    page, raw, _ = made
    values = _standard(raw)
    cards = page["cards"]["cards"]
    picks = [card["item"] for card in cards]
    nearest = _squared(values, values[picks]).argmin(axis=1)
    ordinary = _by_row(page, "outliers", "<f4") <= 1
    typical = np.array([_quantile(column, 0.5) for column in values[ordinary].T])
    units = np.array([_unit(column) for column in values[ordinary].T])
    reach = np.sqrt(_squared(values[ordinary], typical[None])).mean()
    assert (_by_row(page, "picks", "<u2") == nearest + 1).all()
    for rank, card in enumerate(cards):
        group = nearest == rank
        assert card["rows"] == group.sum() and card["share"] == pytest.approx(group.mean())
        away = np.sqrt(_squared(values[group & ordinary], values[[card["item"]]]))[:, 0]
        # A group of outliers alone has no spread to speak of.
        spread = [_quantile(away, 0.5) / reach, _quantile(away, 0.95) / reach] if len(away) else None
        assert card["spread"] == (None if spread is None else pytest.approx(spread))
        others = np.argsort(_squared(values, values[[card["item"]]])[:, 0], kind="stable")
        near = [int(row) for row in others if row != card["item"]][:3]
        assert [page["rows"]["items"][at] for at in card["near"]] == near
        z = (values[card["item"]] - typical) / units
        order = np.argsort(-abs(z), kind="stable")
        worth = int(np.clip((abs(z) >= 0.5).sum(), 3, 5))
        assert [one["name"] for one in card["differs"]] == [NAMES[j] for j in order[:worth]]
        for one in card["differs"]:
            j = NAMES.index(one["name"])
            assert one["column"] == j + 1 and one["z"] == pytest.approx(z[j])
            assert float(one["cell"]) == raw[card["item"], j]
            assert float(one["typical"]) == _quantile(raw[ordinary][:, j], 0.5)
            inside = (values[group & ordinary][:, j] - typical[j]) / units[j]
            if len(inside):
                assert one["group"] == pytest.approx([_quantile(inside, 0.1), _quantile(inside, 0.9)])
            else:
                assert "group" not in one


def test_coverage_losses_and_the_next_picks(made: tuple[dict[str, Any], Floats, list[str]]) -> None:
    page, raw, _ = made
    values = _standard(raw)
    squared = _squared(values, values)
    similar = np.exp(-3 * squared / np.median(squared[squared > 0]))
    picks = [card["item"] for card in page["cards"]["cards"]]
    found = page["how_many"]
    curve = [similar[:, picks[: k + 1]].max(axis=1).mean() for k in range(7)]
    assert [point[1] for point in found["coverage"]] == pytest.approx(curve)
    assert [point[0] for point in found["coverage"]] == list(range(1, 8))
    for at, card in enumerate(page["cards"]["cards"]):
        rest = similar[:, picks[:at] + picks[at + 1 :]].max(axis=1).mean()
        assert card["loss"] == pytest.approx(curve[-1] - rest)
        assert card["score"] == pytest.approx(curve[at] - (curve[at - 1] if at else 0))
    covered, chosen = similar[:, picks].max(axis=1), list(picks)
    for place, ((k, told), row) in enumerate(zip(found["ahead"], found["next"], strict=True)):
        gains = np.maximum(similar, covered[:, None]).mean(axis=0) - covered.mean()
        gains[chosen] = -1
        assert gains[row] == pytest.approx(gains.max(), rel=1e-6)
        chosen.append(row)
        covered = np.maximum(covered, similar[:, row])
        assert k == 8 + place and told == pytest.approx(covered.mean())
    assert len(found["ahead"]) == 10
    assert f"{100 * curve[0]:.1f} % with the first" in found["text"]
    more = 100 * (found["ahead"][-1][1] - curve[-1])
    assert f"10 more {more:.2f} points together" in found["text"]


def test_the_map(made: tuple[dict[str, Any], Floats, list[str]]) -> None:
    """Places are those of a robust principal component analysis; colours go by rank."""
    page, raw, kinds = made
    outliers = _by_row(page, "outliers", "<f4")
    ordinary = outliers <= 1
    units = np.array([_unit(column) for column in raw[ordinary].T])
    values = (raw - [_quantile(column, 0.5) for column in raw[ordinary].T]) / units
    lengths = np.sqrt((values[ordinary] ** 2).sum(axis=1))
    limit = _quantile(lengths, 0.5)
    short = values[ordinary] * np.minimum(1, limit / lengths)[:, None]
    squares, axes = np.linalg.eigh(short.T @ short)
    kinds_drawn = _by_row(page, "kinds", "u1")
    for name, axis, share, which in (("x", axes[:, -1], squares[-1], 0), ("y", axes[:, -2], squares[-2], 1)):
        low, high = page["map"]["frame"][which]
        drawn = low + _by_row(page, name, "<u2") / 65535 * (high - low)
        inside = kinds_drawn < 4
        sign = np.sign(axis[abs(axis).argmax()])
        assert drawn[inside] == pytest.approx((values @ axis * sign)[inside], abs=2e-4 * (high - low))
        assert f"({100 * share / squares.sum():.1f} % of the variance)" in page["map"]["axes"][which]
    picks = {card["item"] for card in page["cards"]["cards"]}
    wanted = [2 if row in picks else int(outliers[row] > 1) for row in range(ROWS)]
    assert (kinds_drawn & 3).tolist() == wanted
    numbers = _unpacked(page, "numbers", "<u4")
    colours = {colour["name"]: colour for colour in page["map"]["colours"]}
    for j, name in enumerate(NAMES):
        levels = np.frombuffer(base64.b64decode(colours[name]["levels"]), dtype="u1")
        column = raw[numbers, j]
        below, equal = (column[:, None] > column).sum(axis=1), (column[:, None] == column).sum(axis=1)
        assert levels.tolist() == np.floor((below + (equal - 1) / 2) / (ROWS - 1) * 254 + 0.5).tolist()
        ends = np.sort(column)[[0, (ROWS - 1) // 2, ROWS - 1]]
        assert [float(end) for end in colours[name]["ends"]] == ends.tolist()
    levels = np.frombuffer(base64.b64decode(colours["kind"]["levels"]), dtype="u1")
    assert [colours["kind"]["groups"][level] for level in levels] == [kinds[number] for number in numbers]


def test_outliers_are_counted(made: tuple[dict[str, Any], Floats, list[str]]) -> None:
    page, _, _ = made
    scores = _by_row(page, "outliers", "<f4")
    bins = page["outliers"]["chart"]["bins"]
    assert sum(one["count"] for one in bins) + page["outliers"]["chart"]["zeros"] == ROWS
    beyond = int((scores > 1).sum())
    assert sum(one["count"] for one in bins if one["from"] >= 1) == beyond
    assert f"{beyond} ({100 * beyond / ROWS:.1f} %) are beyond the threshold 1." in page["outliers"]["text"]
    order = np.argsort(-scores, kind="stable")
    told = page["strangest"]["rows"]
    assert len(told) == 20 and [row["item"] for row in told] == order[:20].tolist()
    assert f"the strangest is row {order[0]} " in page["summary"][2]


def test_a_comparison(tmp_path: Path) -> None:
    path, raw, kinds = _table(tmp_path)
    values = _standard(raw)
    page = _page(tmp_path, "compare", str(path), "-k", "6", "--scale", "standard", "--label", "kind")
    scores = _by_row(page, "outliers", "<f4")
    found = page["comparison"]
    names = [measure[0] for measure in found["measures"]]
    distances = {}
    for row in found["rows"]:
        shown = dict(zip(names, row["values"], strict=True))
        picks = row["indices"]
        squared = _squared(values, values[picks])
        distances[row["method"]] = np.sqrt(squared.min(axis=1))[scores <= 1].mean()
        if row["method"] == "random":
            continue
        assert float(shown["outliers"]) == (scores[picks] > 1).sum(), row
        others = [i for i in range(ROWS) if i not in picks]
        right = [kinds[picks[squared[i].argmin()]] == kinds[i] for i in others]
        assert float(shown["accuracy"]) == pytest.approx(np.mean(right), abs=6e-5), row
    for a in found["rows"]:
        for b in found["rows"]:
            if "random" in (a["method"], b["method"]):
                continue
            told = float(a["values"][0]) / float(b["values"][0])
            assert told == pytest.approx(distances[a["method"]] / distances[b["method"]], rel=2e-4)
    for row, shares in zip(found["rows"], found["overlap"], strict=True):
        common = [len(set(row["indices"]) & set(other["indices"])) / 6 for other in found["rows"]]
        assert shares == pytest.approx(common)


def test_chosen_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(200, 6))
    values[:, 3] = 2 - values[:, 0] + 0.02 * values[:, 1]
    path = tmp_path / "t.csv"
    np.savetxt(path, values, delimiter=",", header="a,b,c,d,e,f", comments="", fmt="%.17g")
    page = _page(tmp_path, "features", str(path), "-k", "3", "--scale", "standard")
    found, names = page["explained"], list("abcdef")
    r = np.asarray(np.corrcoef(values.T)).reshape(6, 6)
    chosen = [names.index(name) for name in found["chosen"]]
    for other in found["others"]:
        j = names.index(other["name"])
        assert other["by"] == pytest.approx(r[j, chosen] ** 2)
        centred = values - values.mean(axis=0)
        left = centred[:, j] - centred[:, chosen] @ np.linalg.lstsq(centred[:, chosen], centred[:, j], rcond=None)[0]
        assert other["together"] == pytest.approx(1 - (left**2).sum() / (centred[:, j] ** 2).sum())
    assert [(a, b) for a, b, _ in found["copies"]] == [("a", "d")]
    assert found["copies"][0][2] == pytest.approx(r[0, 3])
