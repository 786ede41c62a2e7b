"""Arguments that are no arrays: sizes, pairs, switches and choices, each with one sentence for what is wrong."""

import operator
import reprlib

import numpy

from ._native import BadArgument

# The numbers of brickwork.h.
ACTIVATIONS = {None: 0, "relu": 1, "sigmoid": 2, "tanh": 3, "gelu": 4}
LAYOUTS = {"nchw": 0, "nhwc": 1, "packed": 2}
PLAIN_LAYOUTS = {"nchw": 0, "nhwc": 1}
TENSORS = {
    "forward_src": 0,
    "forward_dst": 1,
    "backward_data_ddst": 2,
    "backward_data_dsrc": 3,
    "backward_weights_src": 4,
    "backward_weights_ddst": 5,
}


def choice(name, value, choices):
    """The number of a choice."""
    if not isinstance(value, (str, type(None))) or value not in choices:
        raise BadArgument(f"'{name}' is {reprlib.repr(value)}: expected one of {', '.join(map(repr, choices))}")
    return choices[value]


def size(name, value):
    """A whole number; the library judges whether it is a good one."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BadArgument(f"'{name}' is {reprlib.repr(value)}: expected a whole number") from None
    if not -(2**63) <= number < 2**63:
        raise BadArgument(f"'{name}' is {number}: expected a number of 64 bits")
    return number


def sizes(**values):
    return {name: size(name, value) for name, value in values.items()}


def pair(name, value):
    """Two whole numbers, for the height and the width, from one or two."""
    values = value if isinstance(value, (tuple, list)) else (value, value)
    if len(values) != 2:
        raise BadArgument(f"'{name}' is {value!r}: expected a whole number or a pair of them")
    return tuple(size(name, number) for number in values)


def switch(name, value):
    if not isinstance(value, (int, numpy.bool_)) or value not in (0, 1):
        raise BadArgument(f"'{name}' is {reprlib.repr(value)}: expected True or False")
    return bool(value)
