#!/usr/bin/env python3
"""The values of every tensor type, bit for bit against programs that are not ours.

    python codecs.py CODEC_BINARY [--quick | --full] [TYPE...]
    python codecs.py CODEC_BINARY --golden TYPE...     # calls for the tests of a type, in Rust
    python codecs.py CODEC_BINARY --sums               # the table of crates/quant/tests/golden.rs

CODEC_BINARY is `cargo build --release -p ggufkit-quant --example codec`.

* Decoding: blocks of random bytes, of every exponent in their scales (infinite, subnormal, not a number), of zeros and of
  ones, through libgguf (a build of ggml's scalar reference) or, where that has no decoder, through gguf-py, or through the
  definition below, written from the format's description. Which one it was is printed.
* Encoding: rows of many kinds, with and without the importance of columns, through libgguf; of values that are not finite
  where a type's scale is not searched for.

A value that is not a number equals any other that is not: the order of operands decides which payload survives, and C
leaves it open. All else is equal to the last bit. Exit status 1 on a difference.
"""
import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile

import gguf
import libgguf
import numpy as np

# Where the scales of a block stand: (offset, what). Blocks are decoded with all sorts of numbers there. (That of IQ1_M is
# spread over four nibbles; random bytes give it every exponent.)
SCALES: dict[str, list[tuple[int, str]]] = {
    "Q4_0": [(0, "f16")], "Q4_1": [(0, "f16"), (2, "f16")], "Q5_0": [(0, "f16")], "Q5_1": [(0, "f16"), (2, "f16")],
    "Q8_0": [(0, "f16")], "Q8_K": [(0, "f32")], "Q1_0": [(0, "f16")], "Q2_0": [(0, "f16")],
    "Q2_K": [(80, "f16"), (82, "f16")], "Q3_K": [(108, "f16")], "Q4_K": [(0, "f16"), (2, "f16")],
    "Q5_K": [(0, "f16"), (2, "f16")], "Q6_K": [(208, "f16")],
    "IQ2_XXS": [(0, "f16")], "IQ2_XS": [(0, "f16")], "IQ2_S": [(0, "f16")], "IQ3_XXS": [(0, "f16")],
    "IQ3_S": [(0, "f16")], "IQ1_S": [(0, "f16")], "IQ1_M": [], "IQ4_NL": [(0, "f16")], "IQ4_XS": [(0, "f16")],
    "TQ1_0": [(52, "f16")], "TQ2_0": [(64, "f16")], "MXFP4": [(0, "u8")], "NVFP4": [(i, "u8") for i in range(4)],
}

# Where the squares of weighted sums are no longer finite, the reference finds no point of a codebook and stops with an
# assertion; a build without assertions reads what is before the codebook. Rows of larger values are left out.
COMPARABLE = 1e5

PLAIN = {
    "F32": "<f4", "F16": "<f2", "F64": "<f8", "I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8",
}  # fmt: skip


def reference(name: str, ty: int):
    """Who says what blocks of this type are worth, and the function that says it."""
    if name in PLAIN:
        return "numpy", lambda blocks: blocks.view(PLAIN[name]).astype(np.float32)
    if name == "BF16":
        return "numpy", lambda blocks: (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)
    if libgguf.row_size(ty, libgguf.GGML_QUANT_SIZES.get(ty, (0, 0))[0]) > 0:
        return "libgguf", lambda blocks: libgguf.dequantize_rows(blocks, ty)
    if name in DEFINITIONS:
        return "definition", DEFINITIONS[name]
    kind = gguf.GGMLQuantizationType(ty)
    return "gguf-py", lambda blocks: gguf.quants.dequantize(blocks, kind)


def q2_0_values(blocks: np.ndarray) -> np.ndarray:
    """d * (q - 1), four numbers of two bits in a byte, the lowest first."""
    d = blocks[:, :2].copy().view("<f2").astype(np.float32)
    q = blocks[:, 2:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3
    return (q.reshape(len(blocks), 64).astype(np.float32) - 1) * d


def q2_0_blocks(values: np.ndarray) -> np.ndarray:
    """The scale is the greatest distance from zero; numbers are the nearest of -1, 0, 1 times it, plus 1."""
    groups = values.reshape(-1, 64)
    d = np.abs(groups).max(axis=1, keepdims=True).astype(np.float32)
    with np.errstate(all="ignore"):
        ratio = groups * np.where(d > 0, np.float32(1) / d, np.float32(0))
    # A scale so small that its inverse is infinite: x86 makes the smallest integer of an infinite number.
    away = np.where(np.isfinite(ratio), np.trunc(ratio.astype(np.float64) + np.copysign(0.5, ratio)), -np.inf)
    q = np.clip(away + 1, 0, 3).astype(np.uint8).reshape(-1, 16, 4)
    packed = q[..., 0] | q[..., 1] << 2 | q[..., 2] << 4 | q[..., 3] << 6
    with np.errstate(all="ignore"):
        return np.concatenate([d.astype("<f2").view(np.uint8), packed], axis=1)


def q8_k_values(blocks: np.ndarray) -> np.ndarray:
    """d * q, d of 32 bits; the sums behind the numbers are not looked at."""
    return blocks[:, 4:260].view(np.int8).astype(np.float32) * blocks[:, :4].copy().view("<f4")


# What libgguf has no code for, from the format's description.
DEFINITIONS = {"Q2_0": q2_0_values, "Q8_K": q8_k_values}
ENCODINGS = {"Q2_0": q2_0_blocks}


def some_blocks(rng, name: str, count: int, size: int) -> np.ndarray:
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    odd = np.concatenate([np.arange(32, dtype=np.uint16) << 10 | low for low in (0, 1, 0x155, 0x200, 0x3FF)])
    odd = np.concatenate([odd, odd | 0x8000])
    odd32 = np.concatenate([np.arange(256, dtype=np.uint32) << 23 | low for low in (0, 1, 0x400000, 0x7FFFFF)])
    odd32 = np.concatenate([odd32, odd32 | 0x80000000])
    for offset, what in SCALES.get(name, []):
        rows = np.arange(0, count, 3)
        if what == "f16":
            blocks[rows, offset : offset + 2] = rng.choice(odd, len(rows)).astype("<u2")[:, None].view(np.uint8)
        elif what == "f32":
            blocks[rows, offset : offset + 4] = rng.choice(odd32, len(rows)).astype("<u4")[:, None].view(np.uint8)
        else:
            blocks[: min(256, count), offset] = np.arange(min(256, count))
    if size == 2:  # all there are
        blocks = np.concatenate([np.arange(65536, dtype="<u2")[:, None].view(np.uint8), blocks])
    if name in ("F32", "F64"):
        blocks = np.concatenate([odd32.astype("<u4").view(np.uint8).reshape(-1, size), blocks])
    blocks[-1] = 0
    blocks[-2] = 0xFF
    return np.ascontiguousarray(blocks)


def kinds_of_rows(rng, rows: int, width: int):
    """Rows of floats, kind by kind."""
    shape = (rows, width)
    normal = rng.standard_normal(shape)
    yield "normal", normal * 0.02
    yield "uniform", rng.uniform(-1, 1, shape)
    yield "heavy-tailed", rng.standard_t(2, shape)
    yield "one-sided", np.abs(normal) + 0.5
    yield "negative", -np.abs(normal)
    yield "constant", np.broadcast_to(rng.standard_normal((rows, 1)), shape)
    yield "zeros", np.where(rng.random(shape) < 0.5, 0.0, -0.0)
    yield "sparse", np.where(rng.random(shape) < 0.02, normal, 0)
    yield "ties", rng.integers(-16, 17, shape) / 2
    yield "small-integers", rng.integers(-8, 8, shape)
    yield "powers-of-two", np.ldexp(rng.choice([-1.0, 1.0], shape), rng.integers(-12, 12, shape))
    below = np.nextafter(np.ldexp(np.float32(1), rng.integers(-126, 127, (rows, 1))).astype(np.float32), np.float32(0))
    below = (below.view(np.uint32) - rng.integers(0, 12, (rows, 1)).astype(np.uint32)).view(np.float32)
    yield "below-powers-of-two", np.where(np.arange(width) % 16 == 3, below, below * rng.uniform(-0.9, 0.9, shape))
    yield "subnormal", normal * 1e-40
    yield "tiny", normal * 1e-15
    yield "small", normal * 1e-7
    yield "large", normal * 1e4
    yield "huge", normal * 1e30
    yield "outliers", np.where(rng.random(shape) < 0.01, normal * 1000, normal)
    yield "cubes", normal**3


def kinds_not_finite(rng, rows: int, width: int):
    """Rows that C leaves open what becomes of, for the types that are written without a search: x86 is followed."""
    shape = (rows, width)
    normal = rng.standard_normal(shape)
    yield "infinite", np.where(rng.random(shape) < 0.01, rng.choice([np.inf, -np.inf], shape), normal)
    yield "not-numbers", np.where(rng.random(shape) < 0.01, np.nan, normal)
    yield "any-bits", rng.integers(0, 2**32, shape, dtype=np.uint32).view(np.float32)


NOT_SEARCHED = {
    "F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q1_0", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4",
}  # fmt: skip


def kinds_of_weights(rng, width: int):
    yield None
    yield rng.uniform(0, 1, width).astype(np.float32)
    yield (rng.standard_normal(width) ** 4 * 100).astype(np.float32)
    yield np.where(rng.random(width) < 0.3, 0, rng.exponential(1, width)).astype(np.float32)
    yield np.ones(width, np.float32)


class Oracle:
    def __init__(self, binary: pathlib.Path, quick: bool, full: bool, folder: pathlib.Path):
        self.binary, self.full, self.folder = binary, full, folder
        self.decoded, self.encoded = (20_000, 4_000) if quick else (1_000_000, 110_000)
        self.differences = 0

    def run(self, *words: str, data: bytes = b"") -> bytes:
        return subprocess.run([self.binary, *words], input=data, stdout=subprocess.PIPE, check=True).stdout

    def decode(self, name: str, ty: int, elements: int, size: int) -> str:
        rng = np.random.default_rng(ty)
        who, values_of = reference(name, ty)
        done = nans = wrong = 0
        while done < self.decoded:
            blocks = some_blocks(rng, name, min(self.decoded, 1 << 23 >> elements.bit_length()), size)
            ours = np.frombuffer(self.run("decode", name, data=blocks.tobytes()), np.float32)
            with np.errstate(all="ignore"):
                theirs = np.ascontiguousarray(values_of(blocks), np.float32).reshape(-1)
            other = ours.view(np.uint32) != theirs.view(np.uint32)
            nan = np.isnan(ours) & np.isnan(theirs)
            nans += np.count_nonzero(other & nan)
            at = np.flatnonzero(other & ~nan)
            wrong += len(at)
            if len(at) and not self.differences:
                block, i = divmod(int(at[0]), elements)
                print(f"  {name} block {blocks[block].tobytes().hex()}: value {i} is {theirs[at[0]]!r}, ours {ours[at[0]]!r}")
            self.differences += len(at)
            done += len(blocks)
        said = f"{done:>8} blocks decoded as by {who}"
        if nans:
            said += f" ({nans} NaN of other bits)"
        return said if not wrong else f"{said}, {wrong} VALUES DIFFER"

    def encode(self, name: str, ty: int, elements: int, size: int, importance: str) -> str:
        rng = np.random.default_rng(1000 + ty)
        who = "libgguf"
        if libgguf.row_size(ty, elements) == 0:
            if name not in ENCODINGS:
                return "encoding NOT HELD: libgguf has no such type"
            who = "definition"
        width = max(512, 4 * elements) if elements < 256 else 2 * elements
        weights = [w for w in kinds_of_weights(rng, width) if w is not None or importance != "required"]
        if importance == "unused":
            weights = weights[:2]
        # The reference takes a millisecond for a block of these.
        count = self.encoded // 20 if name[:3] in ("IQ1", "IQ2", "IQ3") and not self.full else self.encoded
        rows = max(1, -(-count * elements // width // (19 * len(weights))))
        done = 0
        kinds_wrong: list[str] = []
        for number, weight in enumerate(weights):
            words = ["encode", name, str(width)]
            if weight is not None:
                path = self.folder / "importance"
                path.write_bytes(weight.tobytes())
                words.append(str(path))
            kinds = kinds_of_rows(rng, rows, width)
            if weight is None and name in NOT_SEARCHED:
                kinds = itertools.chain(kinds, kinds_not_finite(rng, rows, width))
            for kind, values in kinds:
                values = np.ascontiguousarray(values, np.float32)
                if name.startswith(("IQ1", "IQ2", "IQ3")):
                    values = values[np.abs(values).max(axis=1) < COMPARABLE]
                if not len(values):
                    continue
                ours = np.frombuffer(self.run(*words, data=values.tobytes()), np.uint8).reshape(-1, size)
                if who == "definition":
                    theirs = ENCODINGS[name](values)
                else:
                    theirs = libgguf.quantize_rows(values, ty, weight).view(np.uint8).reshape(-1, size)
                done += len(ours)
                at = np.flatnonzero((ours != theirs).any(axis=1))
                if len(at):
                    kinds_wrong.append(f"{kind} ({'weights ' + str(number) if weight is not None else 'plain'}): {len(at)} of {len(ours)}")
                    if not self.differences:
                        block = values.reshape(-1, elements)[at[0]]
                        print(f"  {name} {kind} {block.tolist()}\n  is  {theirs[at[0]].tobytes().hex()}\n  ours {ours[at[0]].tobytes().hex()}")
                    self.differences += len(at)
        said = f"{done:>7} encoded as by {who}, importance {importance}"
        return said if not kinds_wrong else f"{said}; DIFFERENT: " + ", ".join(kinds_wrong)

    def golden(self, name: str, ty: int, elements: int, size: int, importance: str) -> None:
        """Tests for the type's file: what the reference makes of two blocks and of one row."""
        rng = np.random.default_rng(ty)
        who, values_of = reference(name, ty)
        blocks = rng.integers(0, 256, (2, size), dtype=np.uint8)
        for offset, what in SCALES.get(name, []):
            for row, number in enumerate((0.0371, -3e-7) if offset in (0, 80, 108, 208, 52, 64) else (0.0213, 5.25)):
                if what != "u8":
                    scale = np.array([number], "<f2" if what == "f16" else "<f4").view(np.uint8)
                    blocks[row, offset : offset + len(scale)] = scale
        words = [name] if name[:2] in ("Q1", "Q2", "Q4", "Q5", "Q8", "TQ") and not name.endswith("K") else name.split("_")
        block_type = "".join(word.capitalize() for word in words)
        says = "libgguf" if who == "libgguf" else "the definition in the oracle"
        print(f"\n#[cfg(test)]\nmod tests {{\n    use super::*;\n    use crate::block::testing::{{assert_decodes, assert_encodes}};\n")
        print(f"    /// By {says}.\n    #[test]\n    fn as_the_reference() {{")
        for block in blocks:
            values = np.ascontiguousarray(values_of(block[None]), np.float32).reshape(-1)
            first = ", ".join(f"{value!s}" if "e" in str(value) or "." in str(value) else f"{value}.0" for value in values[:4])
            print(f'        assert_decodes::<{block_type}, N>("{block.tobytes().hex()}", [{first}], {checksum(values.tobytes())});')
        if importance != "none":
            values, weights = sample(elements)[None], sample_importance(elements)
            for guided in [False] * (importance != "required") + [True] * (importance != "unused"):
                made = ENCODINGS[name](values) if name in ENCODINGS else libgguf.quantize_rows(values, ty, weights if guided else None)
                print(f'        assert_encodes::<{block_type}, N>({str(guided).lower()}, "{made.tobytes().hex()}");')
        print("    }\n}")


def checksum(data: bytes) -> str:
    """FNV-1a, as Rust writes it."""
    total = 0xCBF29CE484222325
    for byte in data:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    digits = f"{total:016x}"
    return "0x" + "_".join(digits[i : i + 4] for i in range(0, 16, 4))


def sums(name: str, ty: int, importance: str) -> None:
    """The checksums of what the reference makes of four rows of each kind, without and with the importance of columns."""
    said = []
    for rows in golden_rows():
        for guided in (False, True):
            if not guided and importance == "required" or guided and importance == "unused":
                continue
            if name in ENCODINGS:
                made = ENCODINGS[name](rows)
            else:
                made = libgguf.quantize_rows(rows, ty, sample_importance(512) if guided else None)
            said.append(checksum(np.ascontiguousarray(made).tobytes()))
    print(f"    (TensorType::{name}, &[\n        {', '.join(said)},\n    ]),")


def golden_rows():
    """Four rows of 512 values of each kind, of whole numbers, so that they are the same wherever they are made."""
    numbers = congruential(3, 4 * 512)
    total = numbers.view(np.int8).astype(np.int16).sum(axis=1).astype(np.float32)
    top = numbers[:, 3].astype(np.float32)
    cube = total / np.float32(64)
    yield from (
        np.ascontiguousarray(values, np.float32).reshape(4, 512)
        for values in (
            total / np.float32(4096),
            cube * cube * cube,
            (numbers[:, 3] % 33).astype(np.float32) / np.float32(2) - np.float32(8),
            np.where(top < 16, total, np.float32(0)),
            np.float32(100) + top,
            total * np.float32(2.0**-40),
        )
    )


def congruential(seed: int, count: int) -> np.ndarray:
    """The numbers of the test kit's `Congruential`, as four bytes each."""
    numbers = []
    for _ in range(count):
        seed = (seed * 1_664_525 + 1_013_904_223) % 2**32
        numbers.append(seed)
    return np.array(numbers, "<u4").view(np.uint8).reshape(-1, 4)


def sample(count: int) -> np.ndarray:
    return (congruential(1, count).view(np.int8).astype(np.int16).sum(axis=1) / 1024).astype(np.float32)


def sample_importance(count: int) -> np.ndarray:
    return (0.5 + congruential(2, count)[:, 3] / 256).astype(np.float32)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("types", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true", help="as many blocks of the slow types as of the others: half an hour")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--sums", action="store_true")
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(arguments.binary.resolve(), arguments.quick, arguments.full, pathlib.Path(folder))
        listed = [line.split() for line in oracle.run("list").decode().splitlines()]
        for name, *numbers, importance in listed:
            if arguments.types and name.upper() not in [ty.upper() for ty in arguments.types]:
                continue
            ty, elements, size = map(int, numbers)
            if arguments.golden:
                oracle.golden(name, ty, elements, size, importance)
                continue
            if arguments.sums:
                if importance != "none":
                    sums(name, ty, importance)
                continue
            said = oracle.decode(name, ty, elements, size)
            if importance != "none":
                said += "; " + oracle.encode(name, ty, elements, size, importance)
            print(f"{name:<8} {said}", flush=True)
    if arguments.golden or arguments.sums:
        return 0
    print(f"{len(listed)} types, {oracle.differences} differences")
    return 1 if oracle.differences else 0


if __name__ == "__main__":
    sys.exit(main())
