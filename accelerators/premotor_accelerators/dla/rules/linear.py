"""Products of matrices."""

from __future__ import annotations

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.sources import DERIVED, LAYERS, OPERATORS

PRODUCT = Rule("constant-product", "Gemm and MatMul run when the second operand is constant", OPERATORS, "A")
TWO_INPUTS = Rule("matmul-two-inputs", "a product of two tensors that flow has no DLA layer", LAYERS, "A")
FULLY_CONNECTED = Rule(
    "fully-connected", "the fully connected layer behind Gemm went with TensorRT 10; the matrix is of 8.5 and 8.6",
    DERIVED, "C",
)  # fmt: skip
_AS_CONVOLUTION = "write it as a 1x1 convolution (HxW behind a Flatten)"


def product(layer: Layer) -> Verdict:
    """The verdict on `Gemm` and `MatMul`."""
    constants = [layer.is_constant(0), layer.is_constant(1)]
    if not any(constants):
        return refused(TWO_INPUTS, f"{layer.shape(0)} and {layer.shape(1)}", "keep attention on the GPU")
    if not constants[1] or layer.node.attribute("transA", 0):
        return refused(PRODUCT, "the first operand is the constant one, or transposed", _AS_CONVOLUTION)
    if layer.node.op == "Gemm" and layer.has(2) and not layer.is_constant(2):
        return refused(PRODUCT, "bias computed at run time", "add the bias by an Add")
    if layer.target.version >= (10,):
        return unsure(FULLY_CONNECTED, f"TensorRT {layer.target.tensorrt}", _AS_CONVOLUTION)
    return runs(PRODUCT)
