"""Files that differ from a sound model in one thing, for `loaders.py`.

    python3 tests/oracle/loaders/mutants.py MODEL.gguf OUTDIR

A reader and a writer of our own: what is to be written here, no library writes. The model has to be a little-endian file of
version 3 with the default alignment.
"""
import re
import struct
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
FORMATS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q", I64: "q", F64: "d"}
INTEGERS = (U8, I8, U16, I16, U32, I32, U64, I64)
NAMES = "u8 i8 u16 i16 u32 i32 f32 bool string array u64 i64 f64".split()


def scalar(kind, value):
    if kind == STR:
        raw = value if isinstance(value, bytes) else value.encode()
        return struct.pack("<Q", len(raw)) + raw
    return struct.pack("<" + FORMATS[kind], value)


def array(kind, values):
    return struct.pack("<IQ", kind, len(values)) + b"".join(scalar(kind, value) for value in values)


@dataclass
class Tensor:
    name: bytes
    dims: list
    kind: int
    data: bytes
    offset: int | None = None


@dataclass
class Document:
    """A file in parts. `tail` follows the data, `before` stands in front of a tensor's data."""
    kvs: list = field(default_factory=list)
    tensors: list = field(default_factory=list)
    version: int = 3
    magic: bytes = b"GGUF"
    tail: bytes = b""
    align: int = 32
    before: dict = field(default_factory=dict)

    def bytes(self):
        out = [self.magic, struct.pack("<IQQ", self.version, len(self.tensors), len(self.kvs))]
        for key, kind, raw in self.kvs:
            out += [scalar(STR, key), struct.pack("<I", kind), raw]
        data = b""
        for at, tensor in enumerate(self.tensors):
            data += b"\0" * self.before.get(at, 0)
            offset = len(data) if tensor.offset is None else tensor.offset
            out += [scalar(STR, tensor.name), struct.pack("<I", len(tensor.dims))]
            out += [struct.pack("<Q", dim & (2**64 - 1)) for dim in tensor.dims]
            out += [struct.pack("<IQ", tensor.kind, offset)]
            data += tensor.data + b"\0" * (-len(tensor.data) % self.align)
        head = b"".join(out)
        return head + b"\0" * (-len(head) % self.align) + data + self.tail

    def get(self, key):
        return next((kv for kv in self.kvs if kv[0] == key), None)

    def having(self, key, kind, raw):
        """With a value, in its place where the key is there."""
        kv = (key, kind, raw)
        kvs = [kv if old[0] == key else old for old in self.kvs]
        return replace(self, kvs=kvs if self.get(key) else kvs + [kv])

    def without(self, key):
        return replace(self, kvs=[kv for kv in self.kvs if kv[0] != key])

    def changing(self, at, **change):
        """With one tensor changed."""
        return replace(self, tensors=[replace(t, **change) if n == at else t for n, t in enumerate(self.tensors)])


def read(path):
    raw = Path(path).read_bytes()
    at = 0

    def take(form):
        nonlocal at
        value = struct.unpack_from("<" + form, raw, at)[0]
        at += struct.calcsize("<" + form)
        return value

    def text():
        nonlocal at
        length = take("Q")
        at += length
        return raw[at - length:at]

    def skip(kind):
        nonlocal at
        if kind == STR:
            text()
        elif kind == ARR:
            element, count = take("I"), take("Q")
            for _ in range(count):
                skip(element)
        else:
            at += struct.calcsize("<" + FORMATS[kind])

    assert raw[:4] == b"GGUF"
    at = 4
    document = Document(version=take("I"))
    tensors, kvs = take("Q"), take("Q")
    for _ in range(kvs):
        key, kind = text(), take("I")
        start = at
        skip(kind)
        document.kvs.append((key, kind, raw[start:at]))
    table = []
    for _ in range(tensors):
        name, dims = text(), [take("Q") for _ in range(take("I"))]
        table.append((name, dims, take("I"), take("Q")))
    base = at + -at % 32
    ends = sorted([row[3] for row in table] + [len(raw) - base])
    for name, dims, kind, offset in table:
        end = ends[ends.index(offset) + 1]
        document.tensors.append(Tensor(name, dims, kind, raw[base + offset:base + end]))
    return document


def elements(kv):
    """Element type and number of elements of an array."""
    return struct.unpack_from("<IQ", kv[2])


def strings(kv):
    """The elements of an array of strings."""
    out, at = [], 12
    for _ in range(elements(kv)[1]):
        length = struct.unpack_from("<Q", kv[2], at)[0]
        out.append(kv[2][at + 8:at + 8 + length])
        at += 8 + length
    return out


def values(base):
    """Each key gone, of every other type, negative, 0, huge, not finite, empty."""
    for key, kind, raw in base.kvs:
        name = key.decode()
        yield f"no {name}", base.without(key)
        if kind in FORMATS:
            number = struct.unpack("<" + FORMATS[kind], raw)[0]
            for other in [U8, I8, U16, I16, U32, I32, F32, BOOL, U64, I64, F64]:
                if other == kind:
                    continue
                try:
                    value = float(number) if other in (F32, F64) else int(number)
                    yield f"{name} as {NAMES[other]}", base.having(key, other, scalar(other, value))
                except struct.error:
                    continue
            yield f"{name} as string", base.having(key, STR, scalar(STR, str(number)))
            yield f"{name} in an array", base.having(key, ARR, array(kind, [number, number]))
        if kind in INTEGERS:
            yield f"{name} negative", base.having(key, I32, scalar(I32, -1))
            for number in (0, 1, 7, 2**31 - 1, 2**32 - 1):
                yield f"{name} {number}", base.having(key, U32, scalar(U32, number))
            yield f"{name} over 32 bits", base.having(key, U64, scalar(U64, 2**40))
        if kind in (F32, F64):
            for what, number in (("nan", float("nan")), ("infinite", float("inf")), ("0", 0.0), ("negative", -1.0)):
                yield f"{name} {what}", base.having(key, kind, scalar(kind, number))
        if kind == STR:
            yield f"{name} as integer", base.having(key, U32, scalar(U32, 7))
            for what, text in (("empty", b""), ("foreign", b"what is this"), ("not utf8", b"\xff\xfe"), ("nul", b"a\0b"),
                               ("escape", b"\x1b[2J"), ("bom", b"\xef\xbb\xbfa")):
                yield f"{name} {what}", base.having(key, STR, scalar(STR, text))
        if kind == ARR:
            element, count = elements((key, kind, raw))
            yield f"{name} empty", base.having(key, ARR, array(element, []))
            yield f"{name} of strings", base.having(key, ARR, array(STR, ["x"] * count))
            yield f"{name} of u8", base.having(key, ARR, array(U8, [1] * count))
            yield f"{name} of f64", base.having(key, ARR, array(F64, [1.0] * count))
            yield f"{name} as integer", base.having(key, U32, scalar(U32, 7))
            if element in FORMATS:
                size = struct.calcsize("<" + FORMATS[element])
                yield f"{name} short", base.having(key, ARR, struct.pack("<IQ", element, count - 1) + raw[12:-size])
                yield f"{name} long", base.having(key, ARR, struct.pack("<IQ", element, count + 1) + raw[12:] + raw[-size:])


def keys(base):
    """Keys that are odd themselves, and values that no sound model has."""
    extra = {
        "empty key": b"", "key with nul": b"a\0b", "key not utf8": b"\xffkey", "key with space": b"a key",
        "key with capitals": b"General.Name", "key with escape": b"a\x1b[2J", "long key": b"k" * 65536,
        "key of 70 letters": b"k" * 70, "foreign architecture": b"qwen2.block_count", "misspelt": b"llama.blok_count",
        "reserved": b"GGUF.version",
    }
    for what, key in extra.items():
        yield what, base.having(key, U32, scalar(U32, 7))
    yield "duplicate key", replace(base, kvs=base.kvs + [base.kvs[0]])
    yield "duplicate key, other value", replace(base, kvs=base.kvs + [(base.kvs[0][0], U32, scalar(U32, 7))])
    yield "bool of 2", base.having(b"tokenizer.ggml.add_bos_token", BOOL, b"\2")
    yield "bools of 2", base.having(b"a.bools", ARR, struct.pack("<IQ", BOOL, 2) + b"\2\1")
    inner = array(U32, [1, 2])
    yield "nested array", base.having(b"a.nested", ARR, struct.pack("<IQ", ARR, 1) + inner)
    yield "empty nested array", base.having(b"a.nested", ARR, struct.pack("<IQ", ARR, 0))
    yield "unknown value type", base.having(b"a.value", 13, b"")
    yield "unknown element type", base.having(b"a.value", ARR, struct.pack("<IQ", 13, 1))
    yield "tokens of integers", base.having(b"tokenizer.ggml.tokens", ARR, array(U32, [1] * 3))
    arch = base.get(b"general.architecture")[2][8:]
    for suffix, kind, value in [
        ("rope.scaling.type", STR, "foreign"), ("rope.scaling.type", STR, "none"), ("rope.scaling.type", STR, "linear"),
        ("rope.scaling.type", STR, "yarn"), ("rope.scaling.type", U32, 1), ("rope.scaling.factor", F32, 0.0),
        ("rope.scaling.factor", F32, float("nan")), ("rope.freq_base", F32, 0.0), ("rope.freq_base", F64, 1e4),
        ("rope.freq_base", U32, 10000), ("attention.causal", U32, 1), ("attention.causal", BOOL, 1), ("pooling_type", U32, 99),
        ("pooling_type", I32, -1), ("expert_count", U32, 0), ("expert_count", U32, 4), ("expert_count", U32, 100000),
        ("expert_used_count", U32, 2), ("attention.key_length", U32, 7), ("attention.value_length", U32, 7),
        ("nextn_predict_layers", U32, 0), ("nextn_predict_layers", U32, 1), ("nextn_predict_layers", U32, 9),
        ("vocab_size", U32, 7), ("vocab_size", U64, 7), ("attention.sliding_window", U32, 0), ("tensor_data_layout", STR, "x"),
    ]:
        key = arch + b"." + suffix.encode()
        yield f"{suffix} {value} {NAMES[kind]}", base.having(key, kind, scalar(kind, value))
    for suffix, what, raw in [("feed_forward_length", "per layer", array(U32, [256, 256])), ("feed_forward_length", "for one layer", array(U32, [256])),
                              ("attention.head_count", "for three layers", array(U32, [4, 4, 4])), ("attention.head_count", "as i32s", array(I32, [4, 4])),
                              ("feed_forward_length", "as u64s", array(U64, [256, 256]))]:
        yield f"{suffix} {what}", base.having(arch + b"." + suffix.encode(), ARR, raw)
    for key, kind, value in [
        ("general.alignment", U64, 32), ("general.alignment", I32, 32), ("general.alignment", STR, "32"),
        ("general.alignment", U32, 0), ("general.alignment", U32, 24), ("general.alignment", U32, 32),
        ("general.quantization_version", U32, 0), ("general.quantization_version", U32, 9), ("general.file_type", U32, 9999),
        ("general.file_type", U32, 1024), ("general.file_type", STR, "Q4_K"), ("general.type", STR, "adapter"),
        ("general.type", STR, "foreign"), ("split.count", U32, 1), ("split.count", U16, 1), ("split.count", U16, 0),
        ("split.count", U16, 2), ("split.count", STR, "x"),
    ]:
        yield f"{key} {value} {NAMES[kind]}", base.having(key.encode(), kind, scalar(kind, value))


def pre_tokenizers():
    """The names that the rules know."""
    text = (Path(__file__).resolve().parents[3] / "crates/check/src/rules/tokenizer/known.rs").read_text()
    return re.findall(r'"([^"]+)"', text[text.index("const PRE:"):text.index("];", text.index("const PRE:"))])


def vocabulary(base):
    """Tokenizers: of other kinds, with ids beyond the tokens, with tokens that are odd."""
    tokens = strings(base.get(b"tokenizer.ggml.tokens"))
    for name in ("bos", "eos", "unknown", "separator", "padding", "cls", "mask", "eot", "eom", "prefix", "suffix", "middle",
                 "fim_pre", "fim_pad", "seperator"):
        key = f"tokenizer.ggml.{name}_token_id".encode()
        for what, kind, number in (("in range", U32, 1), ("out of range", U32, len(tokens)), ("far out of range", U32, 2**32 - 1),
                                   ("negative", I32, -1), ("of 64 bits", U64, 1)):
            yield f"{name} token {what}", base.having(key, kind, scalar(kind, number))

    def with_tokens(changed):
        return base.having(b"tokenizer.ggml.tokens", ARR, array(STR, changed))

    yield "duplicate tokens", with_tokens([*tokens[:-1], tokens[-2]])
    yield "empty token", with_tokens([*tokens[:-1], b""])
    yield "token not utf8", with_tokens([*tokens[:-1], b"\xff\xfe"])
    yield "token with nul", with_tokens([*tokens[:-1], b"a\0b"])
    yield "fewer tokens", with_tokens(tokens[:-1])
    yield "no byte tokens", with_tokens([b"b%d" % at if t.startswith(b"<0x") else t for at, t in enumerate(tokens)])
    pre, merges, charsmap = b"tokenizer.ggml.pre", b"tokenizer.ggml.merges", b"tokenizer.ggml.precompiled_charsmap"
    for model in ("gpt2", "bert", "t5", "rwkv", "plamo2", "none", "no_vocab", "replit", "llama", "gemma4", "hybriddna", "whitespace", "test", "GPT2"):
        changed = base.having(b"tokenizer.ggml.model", STR, scalar(STR, model))
        yield f"tokenizer {model}", changed
        yield f"tokenizer {model}, duplicate tokens", replace(changed, kvs=with_tokens([*tokens[:-1], tokens[-2]]).having(b"tokenizer.ggml.model", STR, scalar(STR, model)).kvs)
        yield f"tokenizer {model}, no special tokens", replace(changed, kvs=[kv for kv in changed.kvs if not kv[0].endswith(b"_token_id")])
        yield f"tokenizer {model}, pre foreign", changed.having(pre, STR, scalar(STR, "foreign"))
        yield f"tokenizer {model}, no tokens", changed.without(b"tokenizer.ggml.tokens")
        if model == "t5":
            for what, kind, numbers in (("empty", U8, []), ("of three bytes", U8, [0, 0, 0]), ("whose table is all", U8, [4, 0, 0, 0, 0, 0, 0, 0]),
                                        ("of a table and a byte", U8, [4, 0, 0, 0, 0, 0, 0, 0, 0]), ("whose table is too long", I8, [9, 0, 0, 0, 0, 0]),
                                        ("of integers", U32, [1, 2]), ("without a table", I8, [0, 0, 0, 0, 0])):
                yield f"tokenizer t5, charsmap {what}", changed.having(charsmap, ARR, array(kind, numbers))
            yield "tokenizer t5, charsmap as integer", changed.having(charsmap, U32, scalar(U32, 7))
        if model not in ("gpt2", "gemma4", "hybriddna", "whitespace"):
            continue
        yield f"tokenizer {model}, pre kimi-k2", changed.having(pre, STR, scalar(STR, "kimi-k2"))
        yield f"tokenizer {model}, merges of integers", changed.having(merges, ARR, array(U32, [1, 2]))
        for what, rules in (("two merges", ["a b", "c d"]), ("no merge", []), ("merge without space", ["ab"]), ("merge of unknown tokens", ["zz qq"]), ("empty merge", [""])):
            with_merges = changed.having(merges, ARR, array(STR, rules))
            yield f"tokenizer {model}, {what}", with_merges
            for name in ("default", "gpt-2", "llama-bpe", "gemma4", "foreign", ""):
                yield f"tokenizer {model}, {what}, pre {name}", with_merges.having(pre, STR, scalar(STR, name))
        with_merges = changed.having(merges, ARR, array(STR, ["a b"])).having(pre, STR, scalar(STR, "gpt-2"))
        for what, text in (("empty", b""), ("not utf8", b"\xff\xfe"), ("with nul", b"a\0b"), ("that no byte stands for", "\u9f98".encode())):
            yield f"tokenizer {model}, token {what}", with_merges.having(b"tokenizer.ggml.tokens", ARR, array(STR, [*tokens[:-1], text]))
    # How words are cut: every name that either side knows.
    gpt2 = base.having(b"tokenizer.ggml.model", STR, scalar(STR, "gpt2")).having(merges, ARR, array(STR, ["a b"]))
    for name in pre_tokenizers():
        yield f"pre {name}", gpt2.having(pre, STR, scalar(STR, name))
    for key, kind, value in (("add_space_prefix", U32, 1), ("remove_extra_whitespaces", BOOL, 1), ("remove_extra_whitespaces", U32, 1), ("add_sep_token", U32, 1),
                             ("add_sep_token", BOOL, 1), ("add_eos_token", U32, 1), ("normalizer.lowercase", U32, 1), ("normalizer.strip_accents", U32, 1),
                             ("normalizer.lowercase", BOOL, 1), ("token_type_count", U64, 1), ("token_type_count", U32, 1), ("pre", U32, 1),
                             ("hf.json", U32, 1), ("added_tokens", U32, 1)):
        yield f"tokenizer {key} as {NAMES[kind]}", base.having(f"tokenizer.ggml.{key}".encode(), kind, scalar(kind, value))
    for name in ("model", "tokens", "merges", "bos_token_id", "scores"):
        gone = base.having(b"tokenizer.ggml.model", STR, scalar(STR, "none"))
        yield f"tokenizer none, {name} of the wrong type", gone.having(f"tokenizer.ggml.{name}".encode(), BOOL, scalar(BOOL, 1))
    for what, kind, ids in (("in range", I32, [1]), ("out of range", I32, [-1, 2**31 - 1]), ("of u32", U32, [1]), ("empty", I32, []), ("of strings", STR, ["a"])):
        yield f"suppress tokens {what}", base.having(b"tokenizer.ggml.suppress_tokens", ARR, array(kind, ids))
    yield "suppress tokens as integer", base.having(b"tokenizer.ggml.suppress_tokens", U32, scalar(U32, 1))
    for model in ("llama", "gpt2", "bert", "t5", "plamo2"):
        changed = gpt2.having(b"tokenizer.ggml.model", STR, scalar(STR, model)).having(pre, STR, scalar(STR, "gpt-2"))
        for text in ("", "<", "<0", "<0x", "<0x4", "<0xZZ>", "a byte"):
            kinds = base.get(b"tokenizer.ggml.token_type")[2][:-4] + scalar(I32, 6)
            odd = changed.having(b"tokenizer.ggml.tokens", ARR, array(STR, [*tokens[:-1], text])).having(b"tokenizer.ggml.token_type", ARR, kinds)
            yield f"tokenizer {model}, byte token {len(text)} {text}", odd
    plain = base.having(b"tokenizer.ggml.token_type", ARR, array(I32, [1] * len(tokens)))
    for model in ("llama", "bert", "t5", "rwkv", "plamo2", "test"):
        yield f"tokenizer {model}, all tokens normal", plain.having(b"tokenizer.ggml.model", STR, scalar(STR, model))
        yield f"tokenizer {model}, no token types", base.without(b"tokenizer.ggml.token_type").having(b"tokenizer.ggml.model", STR, scalar(STR, model))
    for name in ("phi-3", "Phi3 mini", "modern-bert"):
        yield f"a model called {name}", base.having(b"general.name", STR, scalar(STR, name))
    yield "scores of i32", base.having(b"tokenizer.ggml.scores", ARR, array(I32, [0] * len(tokens)))
    kinds = base.get(b"tokenizer.ggml.token_type")
    if kinds:
        count = elements(kinds)[1]
        yield "token types of 99", base.having(b"tokenizer.ggml.token_type", ARR, array(I32, [99] * count))
        yield "token types of 0", base.having(b"tokenizer.ggml.token_type", ARR, array(I32, [0] * count))
        yield "token types of u32", base.having(b"tokenizer.ggml.token_type", ARR, array(U32, [1] * count))
    yield "scores not finite", base.having(b"tokenizer.ggml.scores", ARR, array(F32, [float("nan")] * len(tokens)))
    for what, text in (("foreign", "{{ broken"), ("empty", ""), ("unknown", "{% what %}")):
        yield f"template {what}", base.having(b"tokenizer.chat_template", STR, scalar(STR, text))


def layout(base):
    """Data where they should not be."""
    last = len(base.tensors) - 1
    sizes = [len(t.data) + -len(t.data) % 32 for t in base.tensors]
    offsets = [sum(sizes[:at]) for at in range(len(sizes))]
    yield "gap", replace(base, before={1: 64})
    yield "gap at the start", replace(base, before={0: 32})
    yield "overlap", base.changing(1, offset=offsets[0])
    yield "out of range", base.changing(last, offset=offsets[last] + 32 * 10000)
    yield "misaligned", base.changing(1, offset=offsets[1] + 1)
    yield "far out of range", base.changing(last, offset=2**64 - 32)
    same = next((a, b) for a in range(last) for b in range(a + 1, last + 1) if sizes[a] == sizes[b])
    swapped = base.changing(same[0], offset=offsets[same[1]]).changing(same[1], offset=offsets[same[0]])
    yield "data in another order", swapped
    yield "tensors in another order", replace(base, tensors=base.tensors[::-1])
    yield "trailing bytes", replace(base, tail=b"x" * 100)
    yield "trailing zeros", replace(base, tail=b"\0" * 4096)
    yield "joined files", replace(base, tail=base.bytes())
    for size in (1, 2, 8, 16, 64, 4096, 2**20, 2**31):
        changed = base.having(b"general.alignment", U32, scalar(U32, size))
        yield f"alignment {size}", replace(changed, align=size) if size <= 2**20 else changed
        # The data section begins at another distance from a multiple of 32.
        for more in range(1, 32 // size if size in (8, 16) else 1):
            yield f"alignment {size}, begun {more} later", replace(changed.having(b"a.text", STR, scalar(STR, "x" * size * more)), align=size)
    raw = base.bytes()
    head = len(raw) - sum(sizes)
    for what, cut in (("nothing", 0), ("magic", 4), ("version", 7), ("counts", 20), ("head", head // 2), ("head but for its end", head - 40),
                      ("no data", head), ("half of the data", head + sum(sizes) // 2), ("all but a byte", len(raw) - 1)):
        yield f"cut to {what}", raw[:cut]
    yield "padding of the head", raw[:head - 1] + b"x" + raw[head:]
    swap = bytearray(raw)
    swap[4:8] = b"\0\0\0\3"
    yield "big-endian version only", bytes(swap)
    for version in (0, 1, 2, 4, 65536):
        yield f"version {version}", replace(base, version=version)
    for magic in (b"GGML", b"gguf", b"\0\0\0\0", b"ggjt"):
        yield f"magic {magic.hex()}", replace(base, magic=magic)
    for what, at, count in (("more tensors", 8, len(base.tensors) + 1), ("a million tensors", 8, 10**6), ("tensors below 0", 8, 2**64 - 1),
                            ("fewer tensors", 8, len(base.tensors) - 1), ("more keys", 16, len(base.kvs) + 1), ("keys below 0", 16, 2**64 - 1),
                            ("fewer keys", 16, len(base.kvs) - 1)):
        yield what, raw[:at] + struct.pack("<Q", count) + raw[at + 8:]


def tensors(base):
    """Tensors whose names, types or shapes are odd."""
    matrix = next(at for at, t in enumerate(base.tensors) if len(t.dims) == 2)
    vector = next(at for at, t in enumerate(base.tensors) if len(t.dims) == 1)
    for what, name in (("empty", b""), ("nul", b"a\0b"), ("not utf8", b"\xff.weight"), ("escape", b"\x1b[2J"), ("of 63 letters", b"n" * 63),
                       ("of 64 letters", b"n" * 64), ("of 200 letters", b"n" * 200), ("foreign", b"blk.0.foreign.weight"),
                       ("of an encoder", b"v.blk.0.attn_q.weight"), ("of a layer beyond", b"blk.9.attn_norm.weight")):
        yield f"name {what}", base.changing(vector, name=name)
        extra = replace(base.tensors[vector], name=name)
        yield f"extra tensor, name {what}", replace(base, tensors=base.tensors + [extra])
    yield "duplicate tensor", replace(base, tensors=base.tensors + [base.tensors[vector]])
    nul = replace(base.tensors[vector], name=base.tensors[vector].name + b"\0x")
    yield "names equal up to nul", replace(base, tensors=base.tensors + [nul])
    dims = base.tensors[matrix].dims
    for what, shape in (("of five dimensions", [*dims, 1, 1, 1]), ("of four dimensions", [*dims, 1, 1]), ("of nine dimensions", [*dims] + [1] * 7),
                        ("of 33 dimensions", [*dims] + [1] * 31), ("scalar", []), ("none", [0, dims[1]]), ("no rows", [dims[0], 0]),
                        ("negative", [-dims[0], dims[1]]), ("too many elements", [2**40, 2**40]), ("too many bytes", [2**62, 1]),
                        ("swapped", dims[::-1]), ("one less", [dims[0] - 1, dims[1]])):
        yield f"shape {what}", base.changing(matrix, dims=shape)
        extra = Tensor(b"blk.0.foreign.weight", shape, 0, b"\0" * 64)
        yield f"extra tensor, shape {what}", replace(base, tensors=base.tensors + [extra])
    for kind in [*range(0, 43), 100, 2**31]:
        yield f"type {kind}", base.changing(vector, kind=kind)
        yield f"extra tensor, type {kind}", replace(base, tensors=base.tensors + [Tensor(b"x", [256], kind, b"\0" * 2048)])
    for at, tensor in enumerate(base.tensors):
        yield f"without {tensor.name.decode()}", replace(base, tensors=[t for n, t in enumerate(base.tensors) if n != at])


def mutants(base):
    """All of them: a name and the file."""
    for family in (values, keys, vocabulary, layout, tensors):
        for name, document in family(base):
            yield f"{family.__name__}--{name}", document if isinstance(document, bytes) else document.bytes()


def main(model, out):
    base = read(model)
    assert base.bytes() == Path(model).read_bytes(), "the model is not written back as it was"
    count = 0
    for count, (name, raw) in enumerate(mutants(base), 1):
        safe = "".join(c if c.isalnum() or c in " ._-," else "_" for c in name)
        (Path(out) / f"{safe}.gguf").write_bytes(raw)
    print(f"{count} mutants")


if __name__ == "__main__":
    main(*sys.argv[1:])
