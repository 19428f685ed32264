"""Attention as a model of ONNX, run by onnxruntime: its fused MultiHeadAttention, ONNX's own
Attention, and where neither has the formula, separate ops.

Index arrays, masks and distances are constants of the model, as in an exported one; what depends on
an operand is computed by each call.
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from cases import CHANNELS, CLIP, DEBERTA, HEADS, T5, WINDOW, Case, deberta_row, t5_bucket

VERSION = onnxruntime.__version__
CONTRIB = "com.microsoft"


class Graph:
    def __init__(self, case: Case, operands: dict, way: str):
        self.case, self.operands, self.way = case, operands, way
        self.nodes, self.constants, self.inputs, self.feed = [], [], [], {}

    def op(self, kind, *inputs, domain="", **attributes):
        name = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def const(self, x):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(x), name))
        return name

    def input(self, name, shape=None):
        x = self.operands[name]
        self.feed[name] = np.ascontiguousarray(x if shape is None else x.reshape(shape))
        self.inputs.append(
            helper.make_tensor_value_info(name, TensorProto.FLOAT, self.feed[name].shape)
        )
        return name

    def swap(self, x):
        return self.op("Transpose", x, perm=[0, 1, 3, 2])

    def by_row(self, x, table, row):
        """x . table at the row of each pair."""
        pairs = self.op("Expand", self.const(row[None, None]), self.const([1, HEADS, *row.shape]))
        table = self.swap(self.input(table, (1, -1, *self.operands[table].shape[-2:])))
        return self.op("GatherElements", self.op("MatMul", x, table), pairs, axis=3)

    def bias(self, q, k):
        """What is added to the scaled scores, [1, H, S, S] or smaller, or nothing."""
        case, size, scale = self.case, self.case.size, self.const(np.float32(self.case.scale))
        lag = case.lags()
        if case.variant == "alibi-causal":
            # A distance of infinity removes what is ahead.
            distance = np.where(lag < 0, np.inf, lag).astype(np.float32)
            slopes = self.op("Neg", self.input("slopes", (1, HEADS, 1, 1)))
            return self.op("Mul", slopes, self.const(distance[None, None]))
        if case.variant == "t5-encoder":
            rows = self.op("Gather", self.input("table"), self.const(t5_bucket(-lag, *T5)))
            return self.op("Unsqueeze", self.op("Transpose", rows, perm=[2, 0, 1]), self.const([0]))
        if case.variant in ("shaw-k", "shaw-kv"):
            return self.op("Mul", self.by_row(q, "rel", case.clipped()), scale)
        if case.variant == "deberta-v2":
            row = deberta_row(np.arange(1 - size, size), *DEBERTA)[lag + size - 1]
            p2c = self.by_row(k, "qr", np.ascontiguousarray(row.T))
            return self.op("Mul", self.op("Add", self.by_row(q, "kr", row), self.swap(p2c)), scale)
        if case.variant == "transformer-xl":
            q = self.op("Add", q, self.input("v_bias", (1, HEADS, 1, CHANNELS)))
            x = self.op("MatMul", q, self.swap(self.input("farthest_first", (1, HEADS, size, -1))))
            x = self.op("Pad", x, self.const([0, 0, 0, 1, 0, 0, 0, 0]))
            x = self.op("Reshape", x, self.const([1, HEADS, size + 1, size]))
            x = self.op("Slice", x, *(self.const([n]) for n in (1, size + 1, 2)))
            x = self.op("Reshape", x, self.const([1, HEADS, size, size]))
            future = np.where(lag < 0, -np.inf, 0).astype(np.float32)
            return self.op("Add", self.op("Mul", x, scale), self.const(future[None, None]))
        if case.variant == "window-causal":
            keep = (lag >= 0) & (lag < WINDOW)
            return self.const(np.where(keep, 0, -np.inf).astype(np.float32)[None, None])
        return ""

    def rotate(self, x):
        cos, sin = self.case.turns()
        if self.way == "MultiHeadAttention":
            return self.op(
                "RotaryEmbedding",
                x,
                self.const(np.arange(self.case.size)[None]),
                self.const(cos),
                self.const(sin),
                domain=CONTRIB,
                num_heads=HEADS,
            )
        return self.op("RotaryEmbedding", x, self.const(cos[None]), self.const(sin[None]))

    def result(self):
        case, flat = self.case, self.way == "MultiHeadAttention"
        q, k, v = (self.input(name, (1, case.size, -1) if flat else None) for name in "qkv")
        q4, k4 = q, k
        if flat and case.variant in ("shaw-k", "deberta-v2", "transformer-xl"):
            split = self.const([1, case.size, HEADS, CHANNELS])
            q4, k4 = (
                self.op("Transpose", self.op("Reshape", x, split), perm=[0, 2, 1, 3])
                for x in (q, k)
            )
        if case.variant == "rope-half":
            q, k = self.rotate(q), self.rotate(k)
        bias = self.bias(q4, k4)
        if case.variant == "transformer-xl":
            q = self.op("Add", q, self.input("u", (1, 1, -1) if flat else (1, HEADS, 1, CHANNELS)))
        is_causal = int(case.variant == "causal-bottom-right")
        if flat:
            return self.op(
                "MultiHeadAttention",
                q,
                k,
                v,
                "",
                "",
                bias,
                domain=CONTRIB,
                num_heads=HEADS,
                scale=case.scale,
                unidirectional=is_causal,
            )
        if self.way == "Attention":
            return self.op("Attention", q, k, v, bias, scale=case.scale, is_causal=is_causal)
        scores = self.op(
            "Mul", self.op("MatMul", q, self.swap(k)), self.const(np.float32(case.scale))
        )
        weights = self.op("Softmax", self.op("Add", scores, bias), axis=-1)
        sums = self.const(np.zeros((1, HEADS, case.size, 2 * CLIP + 1), np.float32))
        pairs = self.op(
            "Expand",
            self.const(case.clipped()[None, None]),
            self.const([1, HEADS, case.size, case.size]),
        )
        sums = self.op("ScatterElements", sums, pairs, weights, axis=3, reduction="add")
        return self.op(
            "Add", self.op("MatMul", weights, v), self.op("MatMul", sums, self.input("relv"))
        )

    def model(self):
        result = helper.make_tensor_value_info(
            self.result(), TensorProto.FLOAT, self.feed["q"].shape
        )
        graph = helper.make_graph(self.nodes, "attention", self.inputs, [result], self.constants)
        return helper.make_model(
            graph,
            ir_version=11,
            opset_imports=[helper.make_opsetid("", 23), helper.make_opsetid(CONTRIB, 1)],
        )


class Way:
    keeps_buffers = True

    def __init__(self, name: str, case: Case, operands: dict):
        if case.dtype != "f32":
            raise NotImplementedError("no bf16 on CPUs")
        if (name == "separate ops") != (case.variant == "shaw-kv"):
            raise NotImplementedError(
                "timed for shaw-kv alone"
                if name == "separate ops"
                else "the op has one product with the values"
            )
        operands = {**operands}
        if case.variant == "transformer-xl":
            operands["farthest_first"] = operands["rel"][:, ::-1]
        self.flat = name == "MultiHeadAttention"
        if self.flat:
            for x in "qkv":
                operands[x] = operands[x].swapaxes(1, 2)
        graph = Graph(case, operands, name)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = case.threads, 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(
            graph.model().SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self.binding = self.session.io_binding()
        for key, x in graph.feed.items():
            self.binding.bind_ortvalue_input(key, onnxruntime.OrtValue.ortvalue_from_numpy(x))
        self.binding.bind_output(self.session.get_outputs()[0].name, "cpu")

    def __call__(self):
        self.session.run_with_iobinding(self.binding)

    def to_numpy(self, _) -> np.ndarray:
        x = self.binding.get_outputs()[0].numpy()[0]
        return x.reshape(len(x), HEADS, CHANNELS).swapaxes(0, 1) if self.flat else x
