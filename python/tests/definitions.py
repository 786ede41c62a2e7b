"""What the operations compute, written with NumPy; and arrays of small integers, on which float32 sums are exact."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def integers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def _pair(value):
    return value if isinstance(value, tuple) else (value, value)


def _padded(src, padding):
    ph, pw = _pair(padding)
    return np.pad(src, ((0, 0), (0, 0), (ph, ph), (pw, pw)))


def _windows(src, taps, stride, padding):
    sh, sw = _pair(stride)
    return sliding_window_view(_padded(src, padding), taps, axis=(2, 3))[:, :, ::sh, ::sw]


def conv2d(src, weights, stride=1, padding=0):
    return np.einsum("ncpqrs,kcrs->nkpq", _windows(src, weights.shape[2:], stride, padding), weights)


def conv2d_dweights(src, ddst, taps, stride=1, padding=0):
    return np.einsum("ncpqrs,nkpq->kcrs", _windows(src, taps, stride, padding), ddst)


def conv2d_dsrc(ddst, weights, src_shape, stride=1, padding=0):
    (sh, sw), (ph, pw) = _pair(stride), _pair(padding)
    (H, W), (P, Q), (R, S) = src_shape[2:], ddst.shape[2:], weights.shape[2:]
    dsrc = _padded(np.zeros(src_shape, np.float32), padding)
    for r in range(R):
        for s in range(S):
            dsrc[:, :, r : r + sh * P : sh, s : s + sw * Q : sw] += np.einsum("nkpq,kc->ncpq", ddst, weights[:, :, r, s])
    return dsrc[:, :, ph : ph + H, pw : pw + W]


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, weights, h0, c0):
    """(y, hT, cT) in float64; weights are (input, state, bias) of each layer, as brickwork.Lstm describes them."""
    y, hT, cT = x.astype(np.float64), [], []
    for layer, (input, state, bias) in enumerate(weights):
        D = len(input)
        outputs = []
        for d in range(D):
            h, c = (states[layer * D + d].astype(np.float64) for states in (h0, c0))
            steps = np.empty((len(y), *h.shape))
            for t in range(len(y))[:: 1 if d == 0 else -1]:
                gates = np.einsum("nc,cgk->gnk", y[t], input[d]) + np.einsum("nc,cgk->gnk", h, state[d]) + bias[d][:, None]
                i, f, o = (_sigmoid(gates[gate]) for gate in (0, 1, 3))
                c = f * c + i * np.tanh(gates[2])
                h = steps[t] = o * np.tanh(c)
            outputs.append(steps)
            hT.append(h)
            cT.append(c)
        y = np.concatenate(outputs, axis=2)
    return y, np.stack(hT), np.stack(cT)
