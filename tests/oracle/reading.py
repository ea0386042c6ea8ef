"""What gguf-py sees in a file, in the shape of `gguf dump --format json`.

Everything is taken from the raw parts that `GGUFReader` found and not from its
`contents()`, because `contents()` loses three things that the file does say:

- the element type of an empty array (the reader lists only ARRAY as its type;
  the type is still there as the array's first part);
- the levels of nested arrays (it flattens them; the parts keep every inner
  type and count in order, so they can be put together again);
- strings that are not UTF-8 (it raises on access; the bytes are in the parts).

Keys and tensor names are decoded strictly by the reader itself, so a file in
which one is not UTF-8 cannot be read by it at all and has no oracle here.
"""
import base64
import math
from typing import Any, Iterator

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFReader, GGUFValueType as V

TYPE_NAMES = {
    V.UINT8: "u8", V.INT8: "i8", V.UINT16: "u16", V.INT16: "i16", V.UINT32: "u32", V.INT32: "i32",
    V.UINT64: "u64", V.INT64: "i64", V.FLOAT32: "f32", V.FLOAT64: "f64",
    V.BOOL: "bool", V.STRING: "string", V.ARRAY: "array",
}
# The reader keeps version and counts among the metadata under these names.
VIRTUAL = ("GGUF.version", "GGUF.tensor_count", "GGUF.kv_count")


def text(raw: bytes) -> Any:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(raw).decode("ascii")}


def scalar(kind: V, part: np.ndarray) -> Any:
    value = part[0]
    if kind == V.BOOL:
        return bool(value)
    if kind in (V.FLOAT32, V.FLOAT64):
        return float(value)  # a double holds every f32 exactly
    return int(value)


def value(kind: V, parts: Iterator[np.ndarray]) -> Any:
    """Take one value of the given type off the parts."""
    if kind == V.STRING:
        next(parts)  # its length
        return text(next(parts).tobytes())
    if kind == V.ARRAY:
        inner = V(int(next(parts)[0]))
        count = int(next(parts)[0])
        return (inner, [value(inner, parts) for _ in range(count)])
    return scalar(kind, next(parts))


def size_of(parts: list[np.ndarray]) -> int:
    return sum(int(part.nbytes) for part in parts)


def size_of_data(tensor) -> int:
    # gguf-py counts two f32 in a block of Q8_1; ggml-common.h has two f16 there, 36 bytes in all.
    if tensor.tensor_type == GGMLQuantizationType.Q8_1:
        return int(tensor.n_elements) // 32 * 36
    return int(tensor.n_bytes)


def read(path) -> dict[str, Any]:
    """The whole head as plain values. Arrays stay `(element type, items)` so that nothing is lost."""
    reader = GGUFReader(path)
    metadata = []
    end = 24
    for field in reader.fields.values():
        if field.name in VIRTUAL:
            continue
        key_length, key, kind, *rest = field.parts
        kind = V(int(kind[0]))
        metadata.append({
            "key": text(key.tobytes()),
            "type": kind,
            "value": value(kind, iter(rest)),
            "offset": field.offset,
            "size": size_of(field.parts),
            "value_offset": field.offset + size_of([key_length, key]) + 4,
            "value_size": size_of(rest),
        })
        end = field.offset + size_of(field.parts)
    tensors = []
    for tensor in reader.tensors:
        tensors.append({
            "name": tensor.name,
            "type": tensor.tensor_type.name,
            "type_id": int(tensor.tensor_type),
            "shape": [int(n) for n in tensor.shape],
            "elements": int(tensor.n_elements),
            "offset": int(tensor.data_offset) - int(reader.data_offset),
            "data_offset": int(tensor.data_offset),
            "size": size_of_data(tensor),
            "info_offset": tensor.field.offset,
            "info_size": size_of(tensor.field.parts),
        })
        end = tensor.field.offset + size_of(tensor.field.parts)
    return {
        "version": int(reader.fields["GGUF.version"].parts[0][0]),
        "endian": "big" if reader.endianess == GGUFEndian.BIG else "little",
        "alignment": int(reader.alignment),
        "head_end": end,
        "data_start": int(reader.data_offset),
        "metadata": metadata,
        "tensors": tensors,
    }


def bits(kind: V, number: float) -> str:
    """A float as the hex digits of its bits, most significant first.

    Which of the many NaNs a file holds does not survive the way through text,
    so all of them count as one.
    """
    if math.isnan(number):
        return "nan"
    single = kind == V.FLOAT32
    with np.errstate(over="ignore"):
        raw = np.float32(number).view(np.uint32) if single else np.float64(number).view(np.uint64)
    return f"{int(raw):0{8 if single else 16}x}"
