"""Recursive models by DyNet with autobatching, as its users write them: a graph of one small operation after the other
for each minibatch, from the roots' children upwards, which DyNet then batches by itself.

A row of ours is a column vector of DyNet, and a matrix is transposed: x W becomes W^T x.
"""

import ctypes
import importlib.metadata
import json
import sys

import _dynet as dy
import numpy

_PARAMETERS = dy.DynetParams()
_PARAMETERS.set_autobatch(True)
_PARAMETERS.set_mem(512)  # MB, and more if it is needed
_PARAMETERS.init()

sys.setrecursionlimit(1_000_000)  # a structure may be a long sequence

CURVES = {"sigmoid": "dy.logistic", "tanh": "dy.tanh", "relu": "dy.rectify"}


def version() -> str:
    return importlib.metadata.version("dyNET38")


def array_at(tensor: list) -> numpy.ndarray:
    """The array of floats at [address, dims]."""
    address, dims = tensor
    return numpy.ctypeslib.as_array((ctypes.c_float * int(numpy.prod(dims))).from_address(address)).reshape(dims)


class Source:
    """Python's code for the states of a node, from the expressions of a cell."""

    def __init__(self, cell: dict, leaf: bool):
        self.cell, self.graph = cell, cell["graph"]
        self.needed = cell["leaf" if leaf else "inner"]
        self.values = [state["leaf_value" if leaf else "value"] for state in cell["states"]]
        self.uses = [argument for e in self.needed for argument in (self.graph[e]["a"], self.graph[e]["b"])] + self.values
        self.lines = []

    def text(self) -> str:
        inside = set()  # parts of sums, which have no value of their own
        sums = {}
        for e in reversed(self.needed):
            if e not in inside and self.graph[e]["kind"] in ("add", "times_weight"):
                sums[e] = self.terms(e, e, inside)
        for e in self.needed:
            if e not in inside:
                node = self.graph[e]
                value = self.sum(sums[e]) if e in sums else self.value(e)
                if node["over"] == "edge" and node["kind"] != "each":
                    value = f"[{value} for i in range(len(children))]"
                self.lines.append(f"v{e} = {value}")
        for s, e in enumerate(self.values):
            self.lines.append(f"states[{s}][node] = v{e}")
        return "def compute(node, leaf, children, states, m):\n" + "".join(f"    {line}\n" for line in self.lines)

    def terms(self, e: int, root: int, inside: set) -> list:
        node = self.graph[e]
        ours = e == root or (self.uses.count(e) == 1 and node["over"] == self.graph[root]["over"])
        if not ours or node["kind"] not in ("add", "times_weight"):
            return [e]
        if e != root:
            inside.add(e)
        if node["kind"] == "times_weight":
            return [(node["which"], node["a"])]
        return self.terms(node["a"], root, inside) + self.terms(node["b"], root, inside)

    def sum(self, terms: list) -> str:
        """The products of a sum, and its bias, go into one affine transform."""
        products = [f"m.weights[{term[0]}], {self.read(term[1])}" for term in terms if isinstance(term, tuple)]
        others = [term for term in terms if not isinstance(term, tuple)]
        bias = next((e for e in others if self.graph[e]["kind"] == "bias"), None)
        if not products:
            return " + ".join(self.read(e) for e in others)
        if bias is not None:
            others.remove(bias)
            first = f"dy.affine_transform([{self.read(bias)}, {', '.join(products)}])"
        else:
            first = " + ".join(product.replace(", ", " * ", 1) for product in products)
        return " + ".join([first, *(self.read(e) for e in others)])

    def read(self, e: int) -> str:
        return f"v{e}[i]" if self.graph[e]["over"] == "edge" else f"v{e}"

    def value(self, e: int) -> str:
        node = self.graph[e]
        kind, which = node["kind"], node["which"]
        a, b = (self.read(node[name]) if node[name] >= 0 else "" for name in ("a", "b"))
        if kind == "input":
            return f"m.inputs[{which}][{'leaf' if self.cell['inputs'][which]['of_leaves'] else 'node'}]"
        if kind == "bias":
            return f"m.biases[{which}]"
        if kind == "each":
            return f"[states[{which}][child] for child in children]"
        if kind == "child":
            position = node["position"]
            return f"states[{which}][children[{position}]] if len(children) > {position} else m.zeros({node['matrix']})"
        if kind == "zero":
            return f"m.zeros({node['matrix']})"
        if kind == "sum_of_children":
            return f"dy.esum(v{node['a']})"
        if kind == "times_matrix":
            return f"{b} * {a}"
        if kind == "subtract":
            return f"{a} - {b}"
        if kind == "multiply":
            return f"dy.cmult({a}, {b})"
        if kind == "one_minus":
            return f"-{a} + 1"  # a number minus an expression raises an error
        return f"{CURVES[kind]}({a})"


class Model:
    """One cell over one minibatch. The tensors are the caller's memory."""

    def __init__(self, description: str):
        self.cell = json.loads(description)
        self.features = self.cell["features"]
        self.tensors = {name: array_at(tensor) for name, tensor in self.cell["tensors"].items()}
        self.compute = []
        for leaf in (False, True):
            names = {"dy": dy}
            exec(Source(self.cell, leaf).text(), names)
            self.compute.append(names["compute"])

    def pack(self) -> None:
        cell = self.cell
        collection = dy.ParameterCollection()
        rows = [self.tensors[given["name"]] for given in cell["inputs"]]
        self.collection = collection  # keeps the parameters
        self.inputs = [collection.lookup_parameters_from_numpy(x) for x in rows]
        self.weights = [collection.parameters_from_numpy(self.tensors[name].T) for name in cell["weights"]]
        self.biases = [collection.parameters_from_numpy(self.tensors[name]) for name in cell["biases"]]

    def zeros(self, matrix: bool):
        return dy.zeros((self.features, self.features) if matrix else self.features)

    def run(self) -> None:
        dy.renew_cg()
        children = self.cell["children"]
        self.states = [[None] * len(children) for _ in self.cell["states"]]
        self.leaf = {}
        for node in range(len(children)):
            if not children[node]:
                self.leaf[node] = len(self.leaf)
        for node in range(len(children)):
            self.visit(node)
        if self.cell["training"]:
            self.train()
        else:
            dy.forward([of_node for state in self.states for of_node in state])

    def visit(self, node: int) -> None:
        if self.states[0][node] is not None:
            return
        children = self.cell["children"][node]
        for child in children:
            self.visit(child)
        self.compute[not children](node, self.leaf.get(node), children, self.states, self)

    def train(self) -> None:
        for parameter in self.inputs + self.weights + self.biases:
            parameter.scale_gradient(0)
        losses = []
        for state, of_nodes in zip(self.cell["states"], self.states, strict=True):
            upstream = self.tensors["d" + state["name"]].reshape(-1, self.features).T
            losses.append(dy.sum_elems(dy.cmult(dy.concatenate_cols(of_nodes), dy.inputTensor(upstream))))
        loss = dy.esum(losses)
        loss.forward()
        loss.backward()

    def unpack(self, tensors: str) -> None:
        out = {name: array_at(tensor) for name, tensor in json.loads(tensors).items()}
        cell = self.cell
        if not cell["training"]:
            for state, of_nodes in zip(cell["states"], self.states, strict=True):
                for node, value in enumerate(of_nodes):
                    out[state["name"]][node] = value.npvalue().T
            return
        for given, parameter in zip(cell["inputs"], self.inputs, strict=True):
            gradient = parameter.grad_as_array()  # of vectors, or of transposed matrices
            out["d" + given["name"]][:] = gradient if gradient.ndim == 2 else gradient.transpose(0, 2, 1)
        for name, parameter in zip(cell["weights"], self.weights, strict=True):
            out[name + ".gradient"][:] = parameter.grad_as_array().T
        for name, parameter in zip(cell["biases"], self.biases, strict=True):
            out[name + ".gradient"][:] = parameter.grad_as_array()
