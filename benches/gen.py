#!/usr/bin/env python3
"""Write the large files that the benchmarks read.

    pip install gguf numpy
    python gen.py OUTDIR [NAME...]

vocab262k   a head of 24 MB: 262,144 tokens with scores and types, 500,000
            merges, 700 small tensors. What a reader of metadata has to cope with.
big2g       2.1 GB: 200 F16 tensors behind a small head. What copying and
            editing have to cope with.

Without names both are written. The same seed gives the same bytes. An existing
file is replaced only when the new one is complete.
"""
import logging
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFWriter

SEED = 11
# Parts of words in several scripts, so that one string in two is not plain ASCII, as in a real multilingual vocabulary.
PARTS = [
    "an", "er", "on", "the", "re", "str", "pro", "ment", "0", "42", "_x", ".", "ize",
    "ar", "co", "ли", "ова", "при", "的", "模型", "语", "は", "です", "한", "ção", "ñ", "ü", "ال", "ית", "🦙",
]


def vocabulary(random: np.random.Generator, count: int) -> list[str]:
    """Distinct tokens of one to four parts, some beginning a word."""
    tokens: dict[str, None] = dict.fromkeys(["<unk>", "<s>", "</s>"])
    while len(tokens) < count:
        missing = count - len(tokens)
        lengths = random.integers(1, 5, missing)
        picks = random.integers(0, len(PARTS), (missing, 4))
        starts = random.random(missing) < 0.4
        for length, pick, start in zip(lengths, picks, starts):
            word = ("▁" if start else "") + "".join(PARTS[i] for i in pick[:length])
            # Short words run out quickly; a number keeps the rest distinct.
            tokens[word if word not in tokens else f"{word}{len(tokens)}"] = None
    return list(tokens)


def hyper_parameters(writer: GGUFWriter, name: str, blocks: int, embedding: int, feed_forward: int) -> None:
    writer.add_name(name)
    writer.add_block_count(blocks)
    writer.add_context_length(8192)
    writer.add_embedding_length(embedding)
    writer.add_feed_forward_length(feed_forward)
    writer.add_head_count(8)
    writer.add_head_count_kv(8)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(embedding // 8)
    writer.add_file_type(1)


def tokenizer(writer: GGUFWriter, tokens: list[str], merges: list[str]) -> None:
    writer.add_tokenizer_model("gpt2" if merges else "llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(rank) for rank in range(len(tokens))])
    writer.add_token_types([2, 3, 3] + [1] * (len(tokens) - 3))
    if merges:
        writer.add_token_merges(merges)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_vocab_size(len(tokens))


def vocab262k(writer: GGUFWriter, random: np.random.Generator) -> None:
    tokens = vocabulary(random, 262_144)
    pairs = random.integers(3, len(tokens), (500_000, 2))
    hyper_parameters(writer, "large vocabulary", 70, 64, 128)
    tokenizer(writer, tokens, [f"{tokens[a]} {tokens[b]}" for a, b in pairs])
    row = random.standard_normal((1, 64)).astype(np.float32)
    parts = ["attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down", "post_ffw_norm"]
    for block in range(70):
        for part in parts:
            writer.add_tensor(f"blk.{block}.{part}.weight", row)


def big2g(writer: GGUFWriter, random: np.random.Generator) -> None:
    hyper_parameters(writer, "large data", 200, 2048, 2624)
    tokenizer(writer, vocabulary(random, 32_000), [])
    # 200 windows into one pool of numbers: different tensors without 2 GB of random numbers to draw.
    rows, columns, step = 2624, 2048, 4096
    pool = (random.standard_normal(rows * columns + 200 * step, dtype=np.float32) * 0.02).astype(np.float16)
    for block in range(200):
        window = pool[block * step:block * step + rows * columns]
        writer.add_tensor(f"blk.{block}.ffn_up.weight", window.reshape(rows, columns))


FILES = {"vocab262k": vocab262k, "big2g": big2g}


def main() -> None:
    logging.disable(logging.WARNING)
    if len(sys.argv) < 2 or any(name not in FILES for name in sys.argv[2:]):
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or FILES:
        path, part = out / f"{name}.gguf", out / f"{name}.gguf.part"
        writer = GGUFWriter(part, "llama")
        FILES[name](writer, np.random.Generator(np.random.PCG64(SEED)))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        part.replace(path)
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
