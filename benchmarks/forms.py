"""The algorithms in NumPy, as their authors state them and in factored form: what the Rust code is timed against."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def shrink(C: Matrix, lam: float, p: float, steps: int = 2) -> Matrix:
    """The authors' shrinkage: threshold, then fixed-point steps."""
    turn = (2 * lam * (1 - p)) ** (1 / (2 - p))
    least = turn + lam * p * turn ** (p - 1)
    size = np.abs(C)
    found = size.copy()
    active = size > least
    for _ in range(steps):
        found[active] = size[active] - lam * p * found[active] ** (p - 1)
    return np.where(active, np.sign(C) * found, 0.0)


def algorithm_2(X: Matrix, gamma: float = 0.1, p: float = 0.5, mu: float = 1e-3, rho: float = 1.1) -> Iterator[Matrix]:
    """ARSS as published, A in full, an N x N system if N <= L and an L x L system otherwise; X is L x N.

    Gives A after each iteration.
    """
    L, N = X.shape
    A, multiplier, R = np.eye(N), np.zeros_like(X), X.copy()
    gram = X.T @ X if N <= L else None
    while True:
        E = shrink(X - R - multiplier / mu, 1 / mu, p)
        w = np.sqrt((A * A).sum(1) + np.finfo(float).eps)
        P = X - E - multiplier / mu
        if gram is None:
            B = (mu / gamma) * (X * w).T
            A = B @ np.linalg.solve(np.eye(L) + X @ B, P)
        else:
            A = np.linalg.solve(np.diag(gamma / (mu * w)) + gram, X.T @ P)
        R = X @ A
        multiplier = multiplier + mu * (R - X + E)
        mu = min(mu * rho, 1e4)
        yield A


def factored(X: Matrix, gamma: float, p: float = 0.5, mu: float = 1.0) -> Iterator[Matrix]:
    """The same iterates without A, linear in N; X is N x L, row by row. Gives the weights after each iteration."""
    N, L = X.shape
    w, multiplier, R = np.ones(N), np.zeros_like(X), X.copy()
    while True:
        E = shrink(X - R - multiplier / mu, 1 / mu, p)
        P = X - E - multiplier / mu
        S = X.T @ (X * w[:, None])
        T = np.linalg.inv(np.eye(L) + (mu / gamma) * S)
        multiplier = P @ (-mu * T)
        R = P + multiplier / mu
        H = multiplier.T @ multiplier
        norms = w * np.sqrt(np.maximum(((X @ H) * X).sum(1), 0.0)) / gamma
        w = np.sqrt(norms * norms + np.finfo(float).eps)
        yield w


def nie_column(gram: Matrix, gamma: float, v: Matrix, u: float, n: int) -> Matrix:
    """Column n of A by Nie's rule, an N x N system."""
    return np.linalg.solve(u * gram + gamma * np.diag(v), u * gram[:, n])


def short_column(X: Matrix, B: Matrix, S: Matrix, gamma: float, u: float, n: int) -> Matrix:
    """The same by the paper's theorem, an L x L system; B = (X V^-1)^T, S = X B."""
    return u * (B @ np.linalg.solve(u * S + gamma * np.eye(len(X)), X[:, n]))


def rrss_by_nie(X: Matrix, gamma: float, short: bool = False) -> Iterator[Matrix]:
    """RRSS by its authors, or with `short` by the paper's L x L systems; X is L x N. Gives A after each iteration."""
    N = X.shape[1]
    gram, eps = X.T @ X, np.finfo(float).eps
    u, v = np.full(N, 0.5), np.full(N, 0.5)
    while True:
        A = np.empty((N, N), order="F")  # columns are written: 14 times as fast at N = 6,400
        B = (X / v).T
        S = X @ B
        for n in range(N):
            A[:, n] = short_column(X, B, S, gamma, u[n], n) if short else nie_column(gram, gamma, v, u[n], n)
        u = 0.5 / np.sqrt(((X - X @ A) ** 2).sum(0) + eps)
        v = 0.5 / np.sqrt((A * A).sum(1) + eps)
        yield A


def ted(X: Matrix, alpha: float, repeats: bool) -> Iterator[int]:
    """TED with the N x N kernel; X is N x L. Gives one pick after the other; `repeats` lets a sample come again."""
    kernel = X @ X.T
    picked = np.zeros(len(X), bool)
    while True:
        gains = (kernel * kernel).sum(0) / (kernel.diagonal() + alpha)
        if not repeats:
            gains[picked] = -np.inf
        best = int(gains.argmax())
        picked[best] = True
        column = kernel[:, best].copy()
        kernel -= np.outer(column, column) / (column[best] + alpha)
        yield best


def rrss_plain(X: Matrix, ratio: float) -> Iterator[tuple[float, float]]:
    """Plain re-weighting for RRSS in linear time, without momentum: objective and relative duality gap of each iterate.

    X is N x L. The gap is that of the cut and scaled dual candidate d_n = 2 u_n (x_n - X a_n).
    """
    N = len(X)
    lengths = np.sqrt((X * X).sum(1))
    start = np.divide(X, lengths[:, None], out=np.zeros_like(X), where=lengths[:, None] > 0)
    gamma = ratio * np.sqrt((((X @ (start.T @ start)) * X).sum(1)).max())
    u, w, eps = np.full(N, 0.5), np.full(N, 2.0), np.finfo(float).eps
    while True:
        d, Q = np.linalg.eigh(X.T @ (X * w[:, None]))
        Y = X @ Q
        M = u[:, None] * Y / (u[:, None] * np.maximum(d, 0.0) + gamma)
        residuals = np.sqrt(((gamma * M / u[:, None]) ** 2).sum(1))
        norms = w * np.sqrt(np.maximum(((Y @ (M.T @ M)) * Y).sum(1), 0.0))
        primal = residuals.sum() + gamma * norms.sum()
        D = 2 * gamma * M @ Q.T
        C = D / np.maximum(np.sqrt((D * D).sum(1)), 1.0)[:, None]
        reach = np.sqrt(np.maximum(((X @ (C.T @ C)) * X).sum(1), 0.0)).max() / gamma
        yield float(primal), float(1.0 - (C * X).sum() / max(reach, 1.0) / primal)
        u, w = 0.5 / np.sqrt(residuals**2 + eps), 2.0 * np.sqrt(norms**2 + eps)
