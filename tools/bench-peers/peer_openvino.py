"""Attention as a model of OpenVINO, around its scaled_dot_product_attention.

Index arrays, masks and distances are constants of the model, as in an exported one; what depends on
an operand is computed by each call. With bf16, inputs and results stay f32, as OpenVINO's own
setting for it has it.
"""

import numpy as np
import openvino
import openvino.opset13 as op

from cases import HEADS, T5, DEBERTA, WINDOW, Case, deberta_row, t5_bucket

VERSION = openvino.__version__.split("-")[0]


def const(x):
    return op.constant(np.asarray(x))


class Model:
    """The graph of a case and what goes into it."""

    def __init__(self, case: Case, operands: dict):
        self.case, self.operands, self.parameters = case, operands, {}

    def input(self, name, shape=None):
        """An operand, of another shape if one is given."""
        x = self.operands[name]
        x = np.ascontiguousarray(x if shape is None else x.reshape(shape))
        parameter = op.parameter(list(x.shape), np.float32, name=name)
        self.parameters[name] = (parameter, x)
        return parameter

    def by_row(self, x, table, row):
        """x . table at the row of each pair."""
        pairs = op.broadcast(const(row[None, None]), const([1, HEADS, *row.shape]))
        return op.gather_elements(op.matmul(x, table, False, True), pairs, 3)

    def bias(self, q, k):
        case, size, scale = self.case, self.case.size, const(np.float32(self.case.scale))
        lag = case.lags()
        if case.variant == "alibi-causal":
            # A distance of infinity removes what is ahead.
            distance = np.where(lag < 0, np.inf, lag).astype(np.float32)
            slopes = self.input("slopes", (1, HEADS, 1, 1))
            return op.multiply(op.negative(slopes), const(distance[None, None]))
        if case.variant == "t5-encoder":
            rows = op.gather(self.input("table"), const(t5_bucket(-lag, *T5)), const(0))
            return op.unsqueeze(op.transpose(rows, const([2, 0, 1])), const(0))
        if case.variant == "shaw-k":
            return op.multiply(self.by_row(q, self.input("rel"), case.clipped()), scale)
        if case.variant == "deberta-v2":
            row = deberta_row(np.arange(1 - size, size), *DEBERTA)[lag + size - 1]
            c2p = self.by_row(q, self.input("kr"), row)
            p2c = self.by_row(k, self.input("qr"), np.ascontiguousarray(row.T))
            return op.multiply(op.add(c2p, op.transpose(p2c, const([0, 1, 3, 2]))), scale)
        if case.variant == "transformer-xl":
            q = op.add(q, self.input("v_bias", (1, HEADS, 1, -1)))
            x = op.matmul(q, self.input("farthest_first"), False, True)
            x = op.pad(
                x, const([0, 0, 0, 1]), const([0, 0, 0, 0]), "constant", const(np.float32(0))
            )
            x = op.reshape(x, const([1, HEADS, size + 1, size]), False)
            x = op.slice(x, const([1]), const([size + 1]), const([1]), const([2]))
            x = op.reshape(x, const([1, HEADS, size, size]), False)
            future = np.where(lag < 0, -np.inf, 0).astype(np.float32)
            return op.add(op.multiply(x, scale), const(future[None, None]))
        if case.variant == "window-causal":
            keep = (lag >= 0) & (lag < WINDOW)
            return const(np.where(keep, 0, -np.inf).astype(np.float32)[None, None])
        return None

    def rotate(self, x):
        a, b = op.split(x, const(3), 2).outputs()
        cos, sin = (const(y[None, None]) for y in self.case.turns())
        return op.concat(
            [
                op.subtract(op.multiply(a, cos), op.multiply(b, sin)),
                op.add(op.multiply(b, cos), op.multiply(a, sin)),
            ],
            3,
        )

    def result(self):
        case = self.case
        q, k, v = (self.input(name) for name in "qkv")
        if case.variant == "rope-half":
            q, k = self.rotate(q), self.rotate(k)
        bias = self.bias(q, k)
        if case.variant == "transformer-xl":
            q = op.add(q, self.input("u", (1, HEADS, 1, -1)))
        is_causal = case.variant == "causal-bottom-right"
        if bias is None:
            bias = const(np.float32(0))
        return op.scaled_dot_product_attention(
            q, k, v, bias, const(np.float32(case.scale)), causal=is_causal
        )


class Way:
    keeps_buffers = True

    def __init__(self, name: str, case: Case, operands: dict):
        core = openvino.Core()
        if case.variant == "shaw-kv":
            raise NotImplementedError("the op has one product with the values")
        if case.dtype == "bf16" and "BF16" not in core.get_property(
            "CPU", "OPTIMIZATION_CAPABILITIES"
        ):
            raise NotImplementedError("no bf16 on this CPU")
        if case.variant == "transformer-xl":
            operands = {**operands, "farthest_first": operands["rel"][:, ::-1]}
        model = Model(case, operands)
        graph = openvino.Model([model.result()], [p for p, _ in model.parameters.values()])
        compiled = core.compile_model(
            graph,
            "CPU",
            {
                "INFERENCE_NUM_THREADS": case.threads,
                "NUM_STREAMS": 1,
                "PERFORMANCE_HINT": "LATENCY",
                "ENABLE_CPU_PINNING": False,
                "INFERENCE_PRECISION_HINT": case.dtype,
            },
        )
        self.request = compiled.create_infer_request()
        self.inputs = [x for _, x in model.parameters.values()]
        for i, x in enumerate(self.inputs):
            self.request.set_input_tensor(i, openvino.Tensor(x, shared_memory=True))

    def __call__(self):
        self.request.infer()

    def to_numpy(self, _) -> np.ndarray:
        return np.array(self.request.get_output_tensor(0).data)[0]
