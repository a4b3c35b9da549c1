"""The tables of README.md beside this file, from results.jsonl only. Run: python benchmarks/speed/report.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import markdown

HERE = Path(__file__).resolve().parent
Record = dict[str, Any]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table and an empty line."""
    return markdown.table(heads, rows) + "\n"


def verdict(met: bool) -> str:
    """In words."""
    return "met" if met else "**missed**"


def ms(seconds: float) -> str:
    """Milliseconds."""
    return f"{seconds * 1e3:.1f}"


def published_arss(found: list[Record]) -> str:
    """One row."""
    r = found[0]
    row = [ms(r["numpy_iteration_s"]), f"{r['numpy_scaled_s']:.0f}", f"{r['ours_s']:.3f}", f"{r['ratio']:,.0f}x"]
    heads = [
        "NumPy, ms an iteration",
        f"scaled to {r['iterations']} (s)",
        "ours with ranking (s)",
        "ratio",
        "wanted 2,000x",
    ]
    return table(heads, [[*row, verdict(r["ratio"] >= 2000)]])


def published_rrss(found: list[Record]) -> str:
    """One row."""
    r = found[0]
    measured = ", ".join(f"{n}: {s:.2f}" for n, s in zip(r["sizes"], r["iteration_s"], strict=True))
    row = [measured, f"{r['fitted_exponent']:.2f}", f"{r['extrapolated_s'] / 3600:,.0f}", f"{r['ours_s']:.3f}"]
    heads = ["Nie's form, s an iteration at N", "fitted exponent", "15 iterations at N = 13,000 by N^4 (h)", "ours (s)"]
    ratio = f"{r['ratio']:,.0f}x ({r['ratio_at_peak']:,.0f}x if every solve ran at the rate of a large product, "
    ratio += f"{r['ratio_fitted']:,.0f}x by the exponent fitted to these sizes)"
    return table([*heads, "ratio", "wanted 10,000,000x"], [[*row, ratio, verdict(r["ratio"] >= 1e7)]])


def floor(found: list[Record]) -> str:
    """A row for each L."""
    rows = [
        [
            str(r["l"]),
            *(", ".join(ms(s) for s in r[key]) for key in ("products_s", "ours_s")),
            f"{r['products_gflops']:.0f} / {r['ours_gflops']:.0f}",
            f"{r['ratio']:.2f}",
            verdict(r["ratio"] <= 1.0),
        ]
        for r in found
    ]
    return table(["L", "OpenBLAS, X T and three X'X (ms)", "ours (ms)", "GF/s", "ratio of medians", "wanted 1.0"], rows)


def factored(found: list[Record]) -> str:
    """A row for each L."""
    wanted = {16: 5.0, 64: 3.0, 256: 1.5}
    rows = [
        [
            str(r["l"]),
            ms(r["numpy_s"]),
            ms(r["ours_s"]),
            f"{r['ratio']:.1f}x",
            f"{wanted[r['l']]:g}x",
            verdict(r["ratio"] >= wanted[r["l"]]),
        ]
        for r in found
    ]
    return table(["L", "NumPy (ms)", "ours (ms)", "ratio", "wanted", ""], rows)


def growth(found: list[Record]) -> str:
    """A row for each N."""
    least = min(r["ns_a_sample"] for r in found)
    most = max(r["ns_a_sample"] for r in found)
    rows = [[f"{r['n']:,}", f"{r['ns_a_sample']:.1f}", f"{r['ns_a_sample'] / least:.2f}"] for r in found]
    return table(["N", "ns a sample", "against the least"], rows) + f"\nWithin 15 %: {verdict(most <= 1.15 * least)}.\n"


def threads(found: list[Record]) -> str:
    """A row for each L."""
    rows = [
        [
            str(r["l"]),
            ms(r["one_s"]),
            ms(r["two_s"]),
            f"{r['ratio']:.2f}x",
            "-" if r["l"] < 64 else verdict(r["ratio"] >= 1.8),
        ]
        for r in found
    ]
    return table(["L", "one thread (ms)", "two (ms)", "ratio", "wanted 1.8x for L >= 64"], rows)


def kinds(found: list[Record]) -> str:
    """A row for each L."""
    keys = ["p=0.5", "p=1", "p=0.666666", "p=0.3", "f32", "method=rrs", "method=ted"]
    rows = [
        [str(r["l"]), *(ms(r[key]) for key in keys), f"{r['f32_ratio']:.2f}x", f"{r['general_p_ratio']:.2f}"]
        for r in found
    ]
    heads = [
        "L",
        "p = 1/2",
        "p = 1",
        "p = 2/3",
        "p = .3",
        "f32, p = 1/2",
        "RRSS",
        "TED, a pick",
        "f32 faster",
        "p .3 / .5",
    ]
    fast = all(r["f32_ratio"] >= 1.6 for r in found if r["l"] >= 256)
    general = all(r["general_p_ratio"] <= 1.5 for r in found)
    wanted = (
        f"\nf32 at least 1.6x for L >= 256: {verdict(fast)}. General p within 1.5x of p = 1/2: {verdict(general)}.\n"
    )
    return table(heads, rows) + wanted


def block(found: list[Record]) -> str:
    """A row for each L, a column for each size."""
    sizes = sorted({r["block"] for r in found})
    times = {(r["l"], r["block"]): r["iteration_s"] for r in found}
    rows = [[str(width), *(ms(times[width, size]) for size in sizes)] for width in sorted({r["l"] for r in found})]
    return table(["L", *(f"{size} rows" for size in sizes)], rows)


def whole_sets(found: list[Record]) -> str:
    """A row for each set."""
    rows = [
        [
            f"{r['set']} {r['n']:,} x {r['l']}",
            f"{r['prepare']:.1f} + {r['solve']:.1f} + {r['score']:.1f}",
            f"{r['iteration_gflops']:.0f} / {r['score_gflops']:.0f}",
            f"{100 * r['share_scored']:.1f} %",
            f"{r['input_mb']:,.0f}",
            f"{r['peak_mb']:,.0f}",
        ]
        for r in found
    ]
    heads = [
        "set",
        "seconds: prepare + 50 iterations + ranking",
        "GF/s: iterations / ranking",
        "rows scored",
        "input MB",
    ]
    return table([*heads, "peak MB"], rows)


def memory(found: list[Record]) -> str:
    """A row for each shape and method."""
    rows = [
        [
            f"{r['n']:,} x {r['l']}",
            r["method"],
            f"{r['input_mb']:,.0f}",
            f"{r['peak_mb']:,.0f}",
            f"{r['times_input_beyond']:.2f}",
            verdict(r["within"]),
            verdict(r["within_low"]),
        ]
        for r in found
    ]
    heads = ["table", "method", "input MB", "peak MB", "beyond the input, times its size"]
    return table([*heads, "3.2 x + 200 MB", "2.1 x + 200 MB"], rows)


def single_precision(found: list[Record]) -> str:
    """A row for each set."""
    methods = list(dict.fromkeys(r["method"] for r in found))
    shared = {(r["set"], r["method"]): r["shared"] for r in found}
    rows = [
        [name, *(f"{100 * shared[name, m]:.1f} %" for m in methods)] for name in dict.fromkeys(r["set"] for r in found)
    ]
    return table(["set", *methods], rows)


def iterations(found: list[Record]) -> str:
    """A row for each set and model."""
    keys = dict.fromkeys((r["set"], r["model"]) for r in found)
    count = {(r["set"], r["model"], r["ratio"]): r for r in found}
    rows = [
        [name, model]
        + [
            f"{count[name, model, ratio]['before'] or '> 2000'} -> {count[name, model, ratio]['after']}"
            for ratio in (0.1, 0.3)
        ]
        for name, model in keys
    ]
    return table(["set (2,000 rows)", "model", "gamma ratio .1", "gamma ratio .3"], rows)


def start_up(found: list[Record]) -> str:
    """A row for each method."""
    clock = [ms(r["wall_s"]) if "wall_s" in r else "-" for r in found]
    rows = [
        [r["method"], ms(r["process_s"]), verdict(r["process_s"] < 0.05), c] for r, c in zip(found, clock, strict=True)
    ]
    return table(["method", "process time (ms)", "wanted under 50", "by the clock (ms)"], rows)


def rivals(found: list[Record]) -> str:
    """A row for each method."""
    sets = list(dict.fromkeys(r["set"] for r in found))
    cells = {(r["set"], r["method"]): r.get("cannot") or f"{r['seconds']:.2f} s, {r['peak_mb']:,} MB" for r in found}
    methods = dict.fromkeys(r["method"] for r in found)
    return table(["K = 200", *sets], [[m, *(cells.get((s, m), "-") for s in sets)] for m in methods])


def machine(found: list[Record]) -> str:
    """One row."""
    r = found[0]
    crossing = 6.4 * r["product_gflops"] / r["copy_gb_s"]
    row = [f"{r['product_gflops']:.0f}", f"{r['copy_gb_s']:.0f}", f"{crossing:.0f}"]
    return table(
        ["GF/s of a product of 3,000 x 3,000", "GB/s of copying (read and written)", "L where both bound alike"], [row]
    )


SECTIONS: dict[str, tuple[str, Callable[[list[Record]], str]]] = {
    "machine": ("The machine, both cores", machine),
    "published_arss": ("ARSS as published, Letter 13,000 x 16", published_arss),
    "published_rrss": ("RRSS by its authors, Letter 13,000 x 16, 15 iterations", published_rrss),
    "floor": ("An ARSS iteration against the products it cannot avoid, N L = 8 million", floor),
    "factored": ("Against the factored form in NumPy, N L = 8 million, p = 1/2", factored),
    "growth": ("Time a sample and iteration, L = 16", growth),
    "threads": ("Two threads against one, N L = 8 million", threads),
    "kinds": ("Exponents, f32 and the other methods, N L = 8 million (ms an iteration or pick)", kinds),
    "block": ("Rows a block, N L = 8 million (ms an iteration)", block),
    "whole_sets": ("Whole sets, 50 iterations, K = 1000", whole_sets),
    "memory": ("Peak memory of the command line", memory),
    "single_precision": ("Share of the top 200 that f32 and f64 have in common", single_precision),
    "iterations": ("Iterations to a duality gap of 1e-3, before -> after", iterations),
    "start_up": ("Start-up: `arss select -k 10` on a csv of 1,000 rows x 10 columns", start_up),
    "rivals": ("What one would run instead", rivals),
}


def main() -> None:
    """Write README.md."""
    records = [json.loads(line) for line in (HERE / "results.jsonl").read_text().splitlines()]
    stamp = records[-1]
    text = [
        "# Speed\n",
        f"Made by `make bench-speed` ({stamp['version']}, NumPy {stamp['numpy']}, {stamp['machine']}); raw figures in",
        "`results.jsonl`. What bounds them: [numerics and performance](../../docs/explanation/numerics.md). What was",
        "tried: [notes](NOTES.md). Times are those of one shared machine; what counts is the ratios, each from one",
        "run.\n",
    ]
    for name, (title, section) in SECTIONS.items():
        found = [record for record in records if record["measure"] == name]
        if found:
            text += [f"## {title}\n", section(found)]
    (HERE / "README.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
