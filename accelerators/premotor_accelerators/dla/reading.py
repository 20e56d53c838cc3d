"""Reading an ONNX file that may be anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto

from premotor_accelerators.dla.errors import DynamicShapes, ExternalDataMissing, ModelTooLarge, ModelUnreadable
from premotor_foundation.errors import UsageError

_MOST_BYTES = 2**31 - 1
"""What protobuf can parse."""
Shapes = Mapping[str, tuple[int, ...]]


def read_model(path: Path) -> Any:
    """The ModelProto in a file; weights kept in other files are looked for, not read.

    Raises UsageError (no such file), ModelTooLarge, ExternalDataMissing, ModelUnreadable.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file; give an .onnx file")
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise ModelTooLarge(f"{path}: {size / 2**30:.1f} GiB; an ONNX file ends at 2 GiB, save it with external data")
    try:
        model = onnx.load_model(str(path), format="protobuf", load_external_data=False)
    except Exception as error:  # protobuf's errors share no base with OSError's
        raise ModelUnreadable(f"{path}: not an ONNX model, or cut short ({error}); export or copy it again") from error
    if not model.graph.node:
        raise ModelUnreadable(f"{path}: no ONNX graph in it; give a model with at least one node")
    _check_external(model, path.parent)
    return _inlined(model, path)


def fix_shapes(model: Any, shapes: Shapes) -> None:
    """Write `shapes` into the inputs of that name, in place.

    Raises UsageError for a name that is no input or sizes that contradict the model's, DynamicShapes if an input is
    then still without fixed sizes.
    """
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = {value.name: value for value in model.graph.input if value.name not in weights}
    for name, sizes in shapes.items():
        if name not in inputs:
            raise UsageError(f"--shape {name}: the model's inputs are {', '.join(inputs)}")
        _set_sizes(inputs[name], sizes)
    loose = [f"{name} {_shown(value)}" for name, value in inputs.items() if not _is_fixed(value)]
    if loose:
        raise DynamicShapes(
            f"DLA takes static shapes only; without fixed sizes: {', '.join(loose[:5])}; "
            "export with fixed sizes, or give them as --shape NAME=1,3,224,224"
        )


def _set_sizes(value: Any, sizes: tuple[int, ...]) -> None:
    given = value.type.tensor_type
    if given.HasField("shape"):
        dims = given.shape.dim
        clash = len(dims) != len(sizes) or any(
            d.dim_value > 0 and d.dim_value != s for d, s in zip(dims, sizes, strict=True)
        )
        if clash:
            raise UsageError(f"--shape {value.name}={','.join(map(str, sizes))}: the model has {_shown(value)}")
        del dims[:]
    for size in sizes:
        given.shape.dim.add().dim_value = size


def _is_fixed(value: Any) -> bool:
    if not value.type.HasField("tensor_type"):
        return True  # sequences and the like: their nodes go to the GPU anyway
    tensor = value.type.tensor_type
    return tensor.HasField("shape") and all(dim.dim_value > 0 for dim in tensor.shape.dim)


def _shown(value: Any) -> str:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return "of unknown rank"
    return "[" + ", ".join(dim.dim_param or str(dim.dim_value or "?") for dim in tensor.shape.dim) + "]"


def _inlined(model: Any, path: Path) -> Any:
    if not model.functions:
        return model
    try:
        from onnx.inliner import inline_local_functions

        return inline_local_functions(model)
    except Exception as error:  # whatever onnx raises over an ill-formed function
        raise ModelUnreadable(f"{path}: its functions cannot be inlined ({error}); export the model anew") from error


def _check_external(model: Any, folder: Path) -> None:
    for tensor in _tensors(model.graph):
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        entry = {item.key: item.value for item in tensor.external_data}
        file = folder / entry.get("location", "")
        if not file.resolve().is_relative_to(folder.resolve()):
            raise ExternalDataMissing(f"the weight `{tensor.name}` lies outside the model's folder, in {file}")
        if not file.is_file():
            raise ExternalDataMissing(f"the weight `{tensor.name}` is kept in {file}, which is not there; copy it too")
        try:
            needed = int(entry.get("offset", "0")) + int(entry.get("length", "0"))
        except ValueError as error:
            raise ModelUnreadable(f"the weight `{tensor.name}` has a broken offset or length") from error
        if needed > file.stat().st_size:
            raise ExternalDataMissing(f"{file} ends before the weight `{tensor.name}`; copy it again, whole")


def _tensors(graph: Any) -> Iterator[Any]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            if attribute.HasField("g"):
                yield from _tensors(attribute.g)


def external_bytes(model: Any) -> int:
    """How much of the model's weights lies in other files."""
    outside = (tensor for tensor in _tensors(model.graph) if tensor.data_location == TensorProto.EXTERNAL)
    entries = ({item.key: item.value for item in tensor.external_data} for tensor in outside)
    return sum(int(entry.get("length", "0")) for entry in entries)
