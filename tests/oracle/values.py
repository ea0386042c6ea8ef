"""The metadata values that the oracle files carry, one table for all of them.

Owns which values are worth writing (the ends of every range, the odd floats,
the awkward strings) and how gguf-py is made to write them. What is in the
files around them is for `generate.py` and `make_foreign.py` to say.
"""
import math
import struct
from typing import Any

from gguf import GGUFEndian, GGUFValueType as V, GGUFWriter

F32_MAX = struct.unpack("<f", bytes.fromhex("ffff7f7f"))[0]
F32_TINY = struct.unpack("<f", bytes.fromhex("01000000"))[0]
F32_TENTH = struct.unpack("<f", struct.pack("<f", 0.1))[0]
F64_MAX = struct.unpack("<d", bytes.fromhex("ffffffffffffef7f"))[0]

INTEGERS = {
    V.UINT8: [0, 1, 2**8 - 1],
    V.INT8: [-(2**7), -1, 2**7 - 1],
    V.UINT16: [0, 0x0102, 2**16 - 1],
    V.INT16: [-(2**15), -0x0102, 2**15 - 1],
    V.UINT32: [0, 0x01020304, 2**32 - 1],
    V.INT32: [-(2**31), -0x01020304, 2**31 - 1],
    # 2^53 + 1 is the first integer that a double cannot hold, 2^63 the first that an i64 cannot.
    V.UINT64: [0, 2**53 + 1, 2**63, 2**64 - 1],
    V.INT64: [-(2**63), -(2**53) - 1, 2**63 - 1],
}
FLOATS = {
    V.FLOAT32: [0.0, -0.0, 1.0, F32_TENTH, -1.5, 16777216.0, F32_MAX, -F32_MAX, F32_TINY, math.inf, -math.inf, math.nan],
    V.FLOAT64: [0.0, -0.0, 1.0, 0.1, -1.5, 1e300, F64_MAX, -F64_MAX, 5e-324, math.inf, -math.inf, math.nan],
}
STRINGS = [
    "",
    "plain",
    "with \"quotes\", \\backslashes\\ and /slashes/",
    "two\nlines\tand a tab\r\n",
    "null\0inside",
    "\x1b[31mred\x1b[0m \x07\x7f\x80",
    "\ufeffbyte order mark",
    "right-to-left \u202egnp.exe, zero\u200bwidth, line\u2028separator",
    "你好，世界 привет мир 안녕 שלום",
    "🦙 👩\u200d💻 \U0010ffff",
    "a" * 127,
    "é" * 64,  # 128 bytes: the first length whose prefix byte is not ASCII
    "long " * 2000,
]
# Byte strings that are not UTF-8. gguf-py writes them and reads them back as bytes.
NOT_UTF8 = [b"\xff\xfe", b"cut \xe4\xbd", b"\xc0\x80 overlong", b"\xed\xa0\x80 surrogate", b"latin-1 caf\xe9"]
BOOLS = [False, True]

SCALARS: list[tuple[V, list[Any]]] = [*INTEGERS.items(), *FLOATS.items(), (V.BOOL, BOOLS), (V.STRING, STRINGS)]


class Writer(GGUFWriter):
    """gguf-py's writer, plus the one thing that it refuses: an empty array."""

    def _pack_val(self, val, vtype, add_vtype, sub_type=None):
        if vtype == V.ARRAY and len(val) == 0 and sub_type is not None:
            head = self._pack("I", vtype) if add_vtype else b""
            return head + self._pack("I", sub_type) + self._pack("Q", 0)
        return super()._pack_val(val, vtype, add_vtype, sub_type)


def open_writer(path, endian: GGUFEndian = GGUFEndian.LITTLE, arch: str = "llama", **options) -> Writer:
    return Writer(path, arch, endianess=endian, **options)


def write(writer: GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_scalars(writer: GGUFWriter) -> None:
    """Every value of the table as an entry of its own.

    `add_key_value` and not `add_string`, because the latter drops empty strings.
    """
    for kind, values in SCALARS:
        for index, value in enumerate(values):
            writer.add_key_value(f"scalar.{kind.name.lower()}.{index}", value, kind)


def add_arrays(writer: GGUFWriter) -> None:
    """Every list of the table as an array, and its first value as an array of one."""
    for kind, values in SCALARS:
        writer.add_key_value(f"array.{kind.name.lower()}", values, V.ARRAY, sub_type=kind)
        writer.add_key_value(f"array.{kind.name.lower()}.one", values[:1], V.ARRAY, sub_type=kind)
