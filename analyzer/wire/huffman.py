"""Huffman coding over bytes and an end symbol, bits filled from the least significant upwards. Spec section 5.

The decoder is an automaton that takes a whole byte a step; a step is worked out when it is first taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.wire.errors import DecodeError

END = 256
"""The symbol that ends a stream."""
SYMBOLS = 257


class _PastEndError(Exception):
    """Input goes on after the end symbol."""


class _State(dict[int, tuple[bytes, "_State"]]):
    """Where in the tree the decoder stands between two bytes: next byte -> (bytes put out, next state)."""

    __slots__ = ("_coder", "_node")

    def __init__(self, coder: Huffman, node: int) -> None:
        super().__init__()
        self._coder = coder
        self._node = node

    def __missing__(self, byte: int) -> tuple[bytes, _State]:
        if self._node == END:
            raise _PastEndError
        step = self[byte] = self._coder.step(self._node, byte)
        return step


class Huffman:
    """A code made from 257 frequencies. Sharing one between threads is safe."""

    def __init__(self, frequencies: Sequence[int]) -> None:
        if len(frequencies) != SYMBOLS:
            raise ValueError(f"{SYMBOLS} frequencies wanted, got {len(frequencies)}")
        self.children, self.root = _build_tree(frequencies)
        self.codes: tuple[str, ...] = _codes(self.children, self.root)
        """The code of each symbol, first bit first, as text of 0 and 1."""
        self.code_lengths: bytes = bytes(map(len, self.codes))
        """Bits of each symbol's code, 257 of them."""
        self._byte_lengths = self.code_lengths[:END]
        self._states = {node: _State(self, node) for node in (END, *self.children)}
        self._end = self._states[END]
        self._start = self._states[self.root]

    def decompress(self, data: bytes, offset: int, limit: int) -> bytes:
        """Decode `data` from `offset` up to the end symbol; what follows that is ignored.

        Raises `DecodeError`: `huffman-eof` if the input ends first, `huffman-limit` if over `limit` bytes come out.
        """
        pieces: list[bytes] = []
        append = pieces.append
        state = self._start
        try:
            for byte in data[offset:]:
                piece, state = state[byte]
                append(piece)
        except _PastEndError:
            pass
        if state is not self._end:
            raise DecodeError("huffman-eof", len(data), "compressed data end before the end symbol")
        plain = b"".join(pieces)
        # a byte of input gives eight of output at most, so there is no need to look while decoding
        if len(plain) > limit:
            consumed = size = 0
            while size <= limit:
                size += len(pieces[consumed])
                consumed += 1
            raise DecodeError("huffman-limit", offset + consumed - 1, f"decompresses to more than {limit} bytes", limit)
        return plain

    def beginning(self, data: bytes, offset: int, limit: int) -> bytes:
        """What a stream begins with, at most `limit` bytes; it may be cut off anywhere."""
        plain = bytearray()
        state = self._start
        for byte in data[offset:]:
            if state is self._end or len(plain) > limit:
                break
            piece, state = state[byte]
            plain += piece
        return bytes(plain[:limit])

    def bits(self, data: bytes) -> int:
        """Bits that `data` take in a compressed stream, without the end symbol."""
        return sum(data.translate(self._byte_lengths))

    def step(self, node: int, byte: int) -> tuple[bytes, _State]:
        """Follow the eight bits of `byte` from an inner node."""
        symbols = bytearray()
        for bit in range(8):
            node = self.children[node][byte >> bit & 1]
            if node == END:
                break
            if node < END:
                symbols.append(node)
                node = self.root
        return bytes(symbols), self._states[node]


def _build_tree(frequencies: Sequence[int]) -> tuple[dict[int, tuple[int, int]], int]:
    """Inner node -> (child at bit 0, child at bit 1), and the root. Symbols are nodes 0 to 256."""
    children: dict[int, tuple[int, int]] = {}
    nodes = [(frequency, symbol) for symbol, frequency in enumerate(frequencies)]
    while len(nodes) > 1:
        # equal frequencies keep their order; the result depends on it
        nodes.sort(key=lambda node: node[0], reverse=True)
        smallest, zero = nodes.pop()
        second, one = nodes.pop()
        inner = SYMBOLS + len(children)
        children[inner] = (zero, one)
        nodes.append((smallest + second, inner))
    return children, nodes[0][1]


def _codes(children: dict[int, tuple[int, int]], root: int) -> tuple[str, ...]:
    codes = [""] * SYMBOLS
    open_nodes = [(root, "")]
    while open_nodes:
        node, code = open_nodes.pop()
        if node < SYMBOLS:
            codes[node] = code
        else:
            zero, one = children[node]
            open_nodes += ((zero, code + "0"), (one, code + "1"))
    return tuple(codes)
