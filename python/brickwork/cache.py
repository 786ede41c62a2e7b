"""Layers that the functions keep between calls, by their sizes: at most so many, the least recently used one goes first."""

import contextlib
import threading

from ._native import BadArgument
from .arguments import size


class LayerCache:
    def __init__(self, count):
        self._count = count
        self._lock = threading.Lock()
        self._kept = {}  # by key, in the order of use: a layer and the lock of its user

    def keep(self, count):
        """Keeps at most this many layers for the functions (32, unless this is called); 0 keeps none."""
        count = size("count", count)
        if count < 0:
            raise BadArgument(f"'count' is {count}: expected 0 or more")
        with self._lock:
            self._count = count
            self._drop()

    def forget(self):
        with self._lock:
            self._kept.clear()

    def __len__(self):
        return len(self._kept)

    @contextlib.contextmanager
    def layer(self, kind, *sizes, **options):
        """A layer that nobody else uses meanwhile: between setting its weights and its run no other call may set them."""
        key = repr((kind, sizes, sorted(options.items())))
        with self._lock:
            kept = self._kept.pop(key, None) or (kind(*sizes, **options), threading.Lock())
            self._kept[key] = kept
            self._drop()
        layer, in_use = kept
        with in_use:
            yield layer

    def _drop(self):
        while len(self._kept) > self._count:
            del self._kept[next(iter(self._kept))]
