"""Real embeddings: how well the picks of each package of the field cover them. A line each in rivals.jsonl.

python rivals.py FILE.npz ...     # files of ADBench with an array X, for example CV_by_ResNet18/CIFAR10_0.npz

Every method gets rows of length one, so that Euclidean ones compare directions, too, and chooses K = 50 rows. The
measure is the mean cosine of all rows to their nearest pick. Needs numpy, scikit-learn, arss, faiss-cpu, kmedoids,
semhash, apricot-select, submodlib-py and onebatch; a package that is missing or fails gets a line that says so.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
#: Seeds of the methods that draw; the mean is reported.
SEEDS = range(3)
#: Methods that draw nothing.
FIXED = {"facility location (apricot)", "facility location (submodlib)", "representatives (SemHash)"}


def by_exemplars(rows: Rows, k: int, seed: int, **settings: Any) -> Any:
    """Ours."""
    import arss

    return arss.Exemplars(k, metric="cosine", random_state=seed, **settings).fit(rows).sample_indices_


def by_medoids(rows: Rows, k: int, seed: int) -> Any:
    """Our k-medoids."""
    import arss

    return arss.KMedoidsSelector(k, metric="cosine", random_state=seed).fit(rows).sample_indices_


def by_faiss(rows: Rows, k: int, seed: int) -> Any:
    """Faiss k-means (spherical), then the rows nearest to the centres."""
    import faiss

    kmeans = faiss.Kmeans(rows.shape[1], k, seed=seed, spherical=True, verbose=False)
    kmeans.train(rows)
    return np.unique((rows @ kmeans.centroids.T).argmax(axis=0))


def by_minibatch(rows: Rows, k: int, seed: int) -> Any:
    """MiniBatchKMeans, then the rows nearest to the centres."""
    from sklearn.cluster import MiniBatchKMeans

    centres = MiniBatchKMeans(k, random_state=seed).fit(rows).cluster_centers_
    return np.unique((rows @ (centres / np.linalg.norm(centres, axis=1, keepdims=True)).T).argmax(axis=0))


def by_semhash(rows: Rows, k: int, _: int) -> Any:
    """The representatives of SemHash, with its defaults."""
    from semhash import SemHash

    records = [{"text": str(at)} for at in range(len(rows))]
    hashed = SemHash.from_embeddings(rows, records=records, model=None, columns=["text"])
    found = hashed.self_find_representative(selection_size=k, candidate_limit="auto")
    return np.array([int(record["text"]) for record in found.selected])


def by_apricot(rows: Rows, k: int, seed: int) -> Any:
    """Facility location of apricot, by cosine."""
    from apricot import FacilityLocationSelection

    return FacilityLocationSelection(k, metric="cosine", random_state=seed).fit(rows).ranking


def by_submodlib(rows: Rows, k: int, _: int) -> Any:
    """Facility location of submodlib, by cosine."""
    from submodlib import FacilityLocationFunction

    function = FacilityLocationFunction(n=len(rows), mode="dense", data=rows.astype(np.float64), metric="cosine")
    return np.array([pick[0] for pick in function.maximize(budget=k, show_progress=False)])


def by_fasterpam(rows: Rows, k: int, seed: int) -> Any:
    """FasterPAM of the package kmedoids, on all distances 1 - cosine."""
    import kmedoids

    return kmedoids.fasterpam((1 - rows @ rows.T).clip(0), k, random_state=seed).medoids


def by_onebatch(rows: Rows, k: int, seed: int) -> Any:
    """OneBatchPAM, by cosine."""
    from onebatch import OneBatchPAM

    return OneBatchPAM(k, distance="cosine", random_state=seed).fit(rows).medoid_indices_


def by_chance(rows: Rows, k: int, seed: int) -> Any:
    """A random choice."""
    return np.random.default_rng(seed).choice(len(rows), k, replace=False)


def by_exemplars_of_all(rows: Rows, k: int, seed: int) -> Any:
    """Ours, with nothing set aside: every row counts alike, as for the others."""
    return by_exemplars(rows, k, seed, gate=False)


METHODS: dict[str, Callable[[Rows, int, int], Any]] = {
    "exemplars": by_exemplars,
    "exemplars, gate=False": by_exemplars_of_all,
    "k-medoids (arss)": by_medoids,
    "FasterPAM (kmedoids)": by_fasterpam,
    "OneBatchPAM (onebatch)": by_onebatch,
    "facility location (apricot)": by_apricot,
    "facility location (submodlib)": by_submodlib,
    "faiss k-means + nearest": by_faiss,
    "MiniBatchKMeans + nearest": by_minibatch,
    "representatives (SemHash)": by_semhash,
    "random": by_chance,
}


def judged(name: str, rows: Rows, k: int) -> dict[str, Any]:
    """The mean over the seeds of what a method covers, and the processor seconds of a run."""
    cosines, chosen, start = [], [], time.process_time()
    seeds = SEEDS[:1] if name in FIXED else SEEDS
    try:
        for seed in seeds:
            picks = np.asarray(METHODS[name](rows, k, seed))
            chosen.append(len(picks))
            cosines.append(float((rows @ rows[picks].T).max(axis=1).mean()))
    except Exception as error:  # a rival that fails is news, not the end
        return {"method": name, "error": f"{type(error).__name__}: {error}"}
    seconds = (time.process_time() - start) / len(seeds)
    return {"method": name, "cosine": np.mean(cosines), "least": min(cosines), "chosen": min(chosen), "cpu": seconds}


def main() -> None:
    """Run all methods on all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--only", nargs="*", default=list(METHODS))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "rivals.jsonl")
    args = parser.parse_args()
    lines = []
    for path in args.files:
        rows = np.load(path)["X"].astype(np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.ascontiguousarray((rows / lengths)[lengths[:, 0] > 0])
        for name in args.only:
            about = {"set": path.stem, "rows": len(rows), "columns": rows.shape[1], "k": args.k}
            line = {**about, **judged(name, rows, args.k)}
            lines.append(line)
            print(line, file=sys.stderr, flush=True)
    args.out.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
