"""Deflate streams made by hand (RFC 1951), so that their bytes don't depend on a version of zlib."""


class Bits:
    """Bits as RFC 1951 packs them: the first is the lowest of its byte."""

    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, width):
        self.value |= value << self.count
        self.count += width

    def code(self, code, width):
        """A Huffman code, whose highest bit comes first."""
        self.put(int(f"{code:0{width}b}"[::-1], 2), width)

    def align(self):
        self.count = (self.count + 7) // 8 * 8

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def put_stored(bits, body, last):
    """A block that isn't compressed (§3.2.4)."""
    bits.put(1 if last else 0, 3)
    bits.align()
    for part in (len(body), ~len(body) & 0xFFFF):
        bits.put(part, 16)
    bits.put(int.from_bytes(body, "little"), 8 * len(body))


def put_fixed_symbol(bits, symbol):
    """A letter or length by the fixed codes (§3.2.6)."""
    if symbol < 144:
        bits.code(0x30 + symbol, 8)
    elif symbol < 256:
        bits.code(0x190 + symbol - 144, 9)
    elif symbol < 280:
        bits.code(symbol - 256, 7)
    else:
        bits.code(0xC0 + symbol - 280, 8)


def put_fixed(bits, body, repeats=0, last=True):
    """A block by the fixed codes: the letters, then the last of them 258 times more for each repeat."""
    bits.put(3 if last else 2, 3)
    for byte in body:
        put_fixed_symbol(bits, byte)
    for _ in range(repeats):
        put_fixed_symbol(bits, 285)
        bits.code(0, 5)
    put_fixed_symbol(bits, 256)


def stored(*blocks):
    bits = Bits()
    for index, block in enumerate(blocks):
        put_stored(bits, block, index == len(blocks) - 1)
    return bits.bytes()


def fixed(body, repeats=0):
    bits = Bits()
    put_fixed(bits, body, repeats)
    return bits.bytes()


def dynamic_zeros(repeats):
    """One zero, then 258 more for each repeat, two bits each: as much as deflate can do, 1 to 1,032 (§3.2.7)."""
    bits = Bits()
    # Letters 0 and 256 have 2 bits, length 285 has 1, distance 0 has 1; the lengths 0, 1, 2 and 18 have codes of 2 bits.
    bits.put(5, 3)
    bits.put(286 - 257, 5)
    bits.put(0, 5)
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
    bits.put(len(order) - 4, 4)
    for symbol in order:
        bits.put(2 if symbol in (0, 1, 2, 18) else 0, 3)
    codes = {0: 0, 1: 1, 2: 2, 18: 3}

    def zeros(count):
        bits.code(codes[18], 2)
        bits.put(count - 11, 7)

    bits.code(codes[2], 2)
    zeros(138)
    zeros(117)
    bits.code(codes[2], 2)
    zeros(28)
    bits.code(codes[1], 2)
    bits.code(codes[1], 2)
    # Canonical codes: 285 is 0; then 0 is 10 and 256 is 11.
    bits.code(2, 2)
    for _ in range(repeats):
        bits.code(0, 1)
        bits.code(0, 1)
    bits.code(3, 2)
    return bits.bytes()
