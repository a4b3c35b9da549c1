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
    """ARSS as published, N > L, A in full; X is L x N. Gives A after each iteration."""
    L, N = X.shape
    A, multiplier, R = np.eye(N), np.zeros_like(X), X.copy()
    while True:
        E = shrink(X - R - multiplier / mu, 1 / mu, p)
        w = np.sqrt((A * A).sum(1) + np.finfo(float).eps)
        P = X - E - multiplier / mu
        B = (mu / gamma) * (X * w).T
        A = B @ np.linalg.solve(np.eye(L) + X @ B, P)
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


def rrss_by_nie(X: Matrix, gamma: float) -> Iterator[Matrix]:
    """RRSS by its authors: an N x N solve for every sample; X is L x N."""
    N = X.shape[1]
    gram, eps = X.T @ X, np.finfo(float).eps
    u, v = np.full(N, 0.5), np.full(N, 0.5)
    while True:
        A = np.empty((N, N))
        for n in range(N):
            A[:, n] = np.linalg.solve(u[n] * gram + gamma * np.diag(v), u[n] * gram[:, n])
        u = 0.5 / np.sqrt(((X - X @ A) ** 2).sum(0) + eps)
        v = 0.5 / np.sqrt((A * A).sum(1) + eps)
        yield A


def rrss_gaps(X: Matrix, ratio: float) -> Iterator[float]:
    """Plain re-weighting for RRSS in linear time, without momentum: the relative duality gap after each iteration.

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
        yield 1.0 - (C * X).sum() / max(reach, 1.0) / primal
        u, w = 0.5 / np.sqrt(residuals**2 + eps), 2.0 * np.sqrt(norms**2 + eps)
