"""Exact iterates of RRSS for the case rrss_tall, in 50-digit arithmetic.

The N x N systems of that case are so ill-conditioned (u reaches 3e7) that every
double-precision solver of them, the one behind rrss_tall.json included, is off by 1e-5.
Needs mpmath. Run: python exact_rrss.py > rrss_tall_exact.json
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50
case = json.loads((Path(__file__).parent / "rrss_tall.json").read_text())
rows = case["samples"]
n_samples, n_features = len(rows), len(rows[0])
x = mp.matrix(rows).T
gamma, eps = mp.mpf(case["settings"]["gamma"]), mp.mpf(case["settings"]["eps"])
u, w = [mp.mpf("0.5")] * n_samples, [mp.mpf(2)] * n_samples
for _ in range(case["settings"]["iterations"]):
    b = mp.matrix(n_samples, n_features)
    for n in range(n_samples):
        for j in range(n_features):
            b[n, j] = w[n] * x[j, n]
    s = x * b
    a, residuals = mp.matrix(n_samples, n_samples), []
    for n in range(n_samples):
        z = mp.lu_solve(u[n] * s + gamma * mp.eye(n_features), u[n] * x[:, n])
        a[:, n] = b * z
        rest = x[:, n] - s * z
        residuals.append(mp.sqrt(sum(r * r for r in rest)))
    norms = [mp.sqrt(sum(a[n, m] ** 2 for m in range(n_samples))) for n in range(n_samples)]
    u = [1 / (2 * mp.sqrt(r * r + eps)) for r in residuals]
    w = [2 * mp.sqrt(r * r + eps) for r in norms]
sums = [sum(abs(a[n, m]) for m in range(n_samples)) for n in range(n_samples)]
print(json.dumps({"row_norms": [float(v) for v in norms], "row_sums": [float(v) for v in sums]}))
