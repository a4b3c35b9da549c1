"""Tables that are spread over a Dask cluster: the same estimators, the same rows chosen.

>>> import dask.array as da
>>> from dask.distributed import Client, LocalCluster
>>> from arss.dask import Exemplars
>>> cluster = LocalCluster(n_workers=2)  # doctest: +SKIP
>>> client = Client(cluster)  # doctest: +SKIP
>>> X = da.random.normal(size=(1_000_000, 8), chunks=(50_000, 8))  # doctest: +SKIP
>>> Exemplars(n_samples=10).fit(X).sample_indices_  # doctest: +SKIP

Each iteration is one or two passes over the rows on the workers; sums of columns x columns come together in
a tree, and only these and the chosen rows travel. Needs the extra `dask`: `pip install 'arss[dask]'`.
"""

from arss.dask._estimators import ARSS, RRSS, TED, Exemplars

__all__ = ["ARSS", "RRSS", "TED", "Exemplars"]
