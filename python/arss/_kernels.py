"""What the methods share that may see the rows through a kernel or have a row penalty."""

from arss._base import RowSelector
from arss._options import KERNELS, Kernel
from arss._random import RandomState, seed


class KernelSelector(RowSelector):
    """Methods that may see the rows through a kernel."""

    kernel: Kernel | None
    landmarks: int
    random_state: RandomState

    def _settings(self) -> dict[str, object]:
        if self.kernel is None:
            return super()._settings()
        if self.kernel not in KERNELS:
            raise ValueError(f"kernel={self.kernel!r}, but it must be None or 'rbf'")
        return super()._settings() | {"landmarks": self.landmarks, "seed": seed(self.random_state)}


class PenalisedSelector(KernelSelector):
    """Methods with a row penalty: `gamma` as it stands, or a share of the largest."""

    gamma: float | None
    gamma_ratio: float

    def _settings(self) -> dict[str, object]:
        gamma = {"gamma_ratio": self.gamma_ratio} if self.gamma is None else {"gamma": self.gamma}
        return super()._settings() | gamma
