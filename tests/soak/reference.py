"""What the methods choose, in NumPy and as slow as it comes: whole matrices, every gain anew.

A greedy choice is followed pick by pick: each must gain as much as the best row does then, given the picks before it.
So rows that tie may come in either order, and one difference does not hide those behind it. Each function gives back
what is wrong, in words; nothing if all is well.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Relative difference that rounding may make: values of 64 and of 32 bits.
CLOSE = {False: 1e-6, True: 2e-3}


def squared_distances(X: Floats) -> Floats:
    """All of them, difference by difference."""
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)


def near(a: float, b: float, close: float, size: float = 0.0) -> bool:
    """Whether two numbers are the same but for rounding, `size` being what is not small."""
    return abs(a - b) <= close * max(abs(a), abs(b), size)


def ted(X: Floats, picks: list[int], scores: list[float], close: float, alpha: float = 0.1) -> list[str]:
    """Greedy: |K_i|^2 / (K_ii + alpha), K <- K - K_i K_i' / (K_ii + alpha)."""
    K, found, first = X @ X.T, [], 0.0
    for at, (pick, score) in enumerate(zip(picks, scores, strict=True)):
        gains = (K**2).sum(axis=0) / (np.clip(np.diag(K), 0, None) + alpha)
        gains[picks[:at]] = -np.inf
        best = float(gains.max())
        first = first or best
        if not near(float(gains[pick]), best, close, first) or not near(score, float(gains[pick]), close, first):
            found.append(f"pick {at}: row {pick} gains {gains[pick]:.9g} (score {score:.9g}), the best {best:.9g}")
        K = K - np.outer(K[pick], K[pick]) / (max(K[pick, pick], 0.0) + alpha)
    return found


def rrqr(X: Floats, picks: list[int], scores: list[float], close: float) -> list[str]:
    """Each pick is the row farthest from the span of those before, up to the rank of the table."""
    found, longest = [], float(np.linalg.norm(X, axis=1).max())
    for at, (pick, score) in enumerate(zip(picks, scores, strict=True)):
        basis = np.linalg.qr(X[picks[:at]].T)[0] if at else np.zeros((X.shape[1], 0))
        left = np.linalg.norm(X - X @ basis @ basis.T, axis=1)
        left[picks[:at]] = -1.0
        best = float(left.max())
        if best <= 1e-6 * longest:
            break
        if not near(float(left[pick]), best, close, longest) or not near(score, best, close, longest):
            found.append(f"pick {at}: row {pick} is {left[pick]:.9g} away (score {score:.9g}), the farthest {best:.9g}")
    return found


def shrink(C: Floats, weight: float, p: float) -> Floats:
    """The two steps of the authors towards argmin weight |y|^p + (y - c)^2 / 2; soft thresholding for p = 1."""
    size = np.abs(C)
    if p == 1.0:
        return np.sign(C) * np.maximum(size - weight, 0)
    start = (2 * weight * (1 - p)) ** (1 / (2 - p))
    threshold = start + weight * p * start ** (p - 1)
    s = size.copy()
    above = size > threshold
    for _ in range(2):
        s[above] = size[above] - weight * p * s[above] ** (p - 1)
    return np.where(above, np.sign(C) * s, 0.0)


def arss_paper(rows: Floats, p: float, gamma: float) -> Floats:
    """The scores of Algorithm 2 as printed, with A in full and the authors' settings."""
    X, n = rows.T, len(rows)
    A, dual, mu = np.eye(n), np.zeros_like(X), 1e-3
    for _ in range(100):
        E = shrink(X - X @ A - dual / mu, 1 / mu, p)
        w = np.sqrt((A**2).sum(axis=1) + np.finfo(float).eps)
        P = X - E - dual / mu
        beta = mu / gamma
        if n <= len(X):
            A = np.linalg.solve(np.diag(1 / w) + beta * X.T @ X, beta * X.T @ P)
        else:
            B = beta * w[:, None] * X.T
            A = B @ np.linalg.solve(np.eye(len(X)) + X @ B, P)
        dual = dual + mu * (E - X + X @ A)
        mu = min(1.1 * mu, 1e4)
    sums, norms, root = np.abs(A).sum(axis=1), np.sqrt((A**2).sum(axis=1)), np.sqrt(n)
    with np.errstate(invalid="ignore", divide="ignore"):
        sparsity = np.where(norms > 0, (root - sums / norms) / (root - 1), 0.0)
    return np.where(sparsity > 0.8, 0.0, sums)


def rrss(rows: Floats, gamma: float, iterations: int, eps: float) -> Floats:
    """The scores of RRSS as published: one system for each sample."""
    X, n = rows.T, len(rows)
    G, u, w = X.T @ X, np.full(n, 0.5), np.full(n, 2.0)
    A = np.zeros((n, n))
    for _ in range(iterations):
        for at in range(n):
            A[:, at] = np.linalg.solve(u[at] * G + np.diag(gamma / w), u[at] * G[:, at])
        u = 0.5 / np.sqrt(((X - X @ A) ** 2).sum(axis=0) + eps)
        w = 2 * np.sqrt((A**2).sum(axis=1) + eps)
    return np.abs(A).sum(axis=1)


def ranked(wanted: Floats, picks: list[int], scores: list[float], close: float) -> list[str]:
    """The picks are the rows with the largest scores, in order; rows whose scores tie may change places."""
    size, order = float(wanted.max()), np.sort(wanted)[::-1]
    found = []
    for at, (pick, score) in enumerate(zip(picks, scores, strict=True)):
        if not near(score, float(wanted[pick]), close, size) or not near(score, float(order[at]), close, size):
            found.append(f"pick {at}: row {pick} has {score:.9g}, but {wanted[pick]:.9g} here; best {order[at]:.9g}")
    return found


def width(distances: Floats) -> float:
    """The median squared distance, zeros left out."""
    there = distances[distances > 1e-12 * max(float(distances.max()), 1e-300)]
    return float(np.median(there)) if there.size else 1.0


def facility(D: Floats, weights: Floats, picks: list[int], scores: list[float], close: float) -> list[str]:
    """Greedy coverage by exp(-3 d^2 / h2) of the rows with weights; only those may be chosen, while any gains."""
    there = np.flatnonzero(weights > 0)
    S = np.exp(-3 * D / width(D[np.ix_(there, there)]))
    covered, found = np.zeros(len(D)), []
    for at, (pick, score) in enumerate(zip(picks, scores, strict=True)):
        gains = (weights[:, None] * np.maximum(S - covered[:, None], 0)).sum(axis=0) / weights.sum()
        gains[weights == 0] = -1.0
        gains[picks[:at]] = -1.0
        best = float(gains.max())
        if best <= 1e-9:
            break
        if not near(float(gains[pick]), best, close, 1e-3) or not near(score, float(gains[pick]), close, 1e-3):
            found.append(f"pick {at}: row {pick} covers {gains[pick]:.9g} (score {score:.9g}), the best {best:.9g}")
        covered = np.maximum(covered, S[:, pick])
    return found


def coverage(D: Floats, weights: Floats, picks: list[int]) -> list[float]:
    """The coverage by the first 1, 2, ... picks."""
    there = np.flatnonzero(weights > 0)
    S = np.exp(-3 * D / width(D[np.ix_(there, there)]))[:, picks]
    return [float((weights * S[:, : at + 1].max(axis=1)).sum() / weights.sum()) for at in range(len(picks))]


def aloneness(D: Floats, ridge: float = 0.01) -> Floats:
    """The predictive variance of each row by all the others: v_n = 1 / ((K + ridge I)^-1)_nn."""
    K = np.exp(-D / width(D))
    return 1 / np.diag(np.linalg.inv(K + ridge * np.eye(len(K))))


def may_be_two(D: Floats, v: Floats, ridge: float = 0.01) -> bool:
    """Whether loneliness, and loneliness beside the nearest rows, may each be that of two populations.

    Rows then count less by what is left unexplained and by the odds of the upper one, which is not computed here.
    The bound is below the one from which it matters (Ashman's D of 1.2), because this fit is another one.
    """
    z = np.log(np.maximum(v - ridge, 1e-3 * ridge))
    nearest = np.argsort(D + np.diag(np.full(len(D), np.inf)), axis=1)[:, : min(30, len(D) - 1)]
    return len(D) >= 20 and min(_apart(z), _apart(z - 0.5 * np.median(z[nearest], axis=1))) > 1.0


def _apart(values: Floats) -> float:
    """How far the two populations of the likeliest mixture are apart, in mean deviations."""
    z = np.sort(values)
    floor, found = 1e-3 * z.std() + 1e-12, []
    for start in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        cut = min(max(int(start * len(z)), 1), len(z) - 1)
        p, m, s = np.array([start, 1 - start]), np.array([z[:cut].mean(), z[cut:].mean()]), np.zeros(2)
        s += [z[:cut].std() + floor, z[cut:].std() + floor]
        for _ in range(200):
            log = np.log(p) - np.log(s) - 0.5 * ((z[:, None] - m) / s) ** 2
            share = np.exp(log - np.logaddexp(log[:, :1], log[:, 1:]))
            p = np.maximum(share.mean(axis=0), 1e-6)
            m = (share * z[:, None]).sum(axis=0) / (p * len(z))
            s = np.sqrt((share * (z[:, None] - m) ** 2).sum(axis=0) / (p * len(z))) + floor
        found.append((float(np.logaddexp(*log.T).sum()), abs(m[1] - m[0]) / math.sqrt(0.5 * (s**2).sum())))
    # Starts that are about as likely may have ended elsewhere.
    return max(apart for likely, apart in found if likely > max(found)[0] - 1.0)


def medoids(D: Floats, picks: list[int], objective: float, close: float) -> list[str]:
    """No exchange of one medoid for another row lowers the sum of distances, and the sum is the one told."""
    distances = np.sqrt(D)
    total = float(distances[:, picks].min(axis=1).sum())
    found = [] if near(total, objective, close, 1e-9) else [f"the distances add up to {total:.9g}, not {objective:.9g}"]
    for at in range(len(picks)):
        others = distances[:, picks[:at] + picks[at + 1 :]]
        rest = others.min(axis=1) if others.size else np.full(len(D), np.inf)
        best = float(np.minimum(rest[:, None], distances).sum(axis=0).min())
        if best < total * (1 - 10 * close) - 1e-9:
            found.append(f"without row {picks[at]} the distances can add up to {best:.9g}, now {total:.9g}")
    return found


def random_keys(seed: int, count: int) -> list[float]:
    """The numbers of the pinned generator: ChaCha with 8 rounds, its key by PCG from the seed.

    >>> random_keys(7, 2)
    [0.15779609702061936, 0.1679893627721013]
    """
    state, key = seed, []
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) % 2**64
        word = ((state >> 18 ^ state) >> 27) % 2**32
        turn = state >> 59
        key.append((word >> turn | word << (-turn % 32)) % 2**32)
    words: list[int] = []
    for block in range(-(-count // 8)):
        words += _chacha(key, block)
    return [(words[2 * at] + (words[2 * at + 1] << 32) >> 11) / 2**53 for at in range(count)]


def _chacha(key: list[int], block: int) -> list[int]:
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, block, 0, 0, 0]
    x = list(start)

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for to, other, mix, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[to] = (x[to] + x[other]) % 2**32
            mixed = x[mix] ^ x[to]
            x[mix] = (mixed << turn | mixed >> 32 - turn) % 2**32

    for _ in range(4):
        for at in range(4):
            quarter(at, 4 + at, 8 + at, 12 + at)
        for at in range(4):
            quarter(at, 4 + (at + 1) % 4, 8 + (at + 2) % 4, 12 + (at + 3) % 4)
    return [(a + b) % 2**32 for a, b in zip(x, start, strict=True)]
