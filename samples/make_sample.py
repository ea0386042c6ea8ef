#!/usr/bin/env python3
"""Write the sample model that documentation, tests and demonstrations share.

    pip install gguf==0.19.0 libgguf==0.2.2 numpy
    python make_sample.py [OUTPUT_FOLDER]

The weights are random numbers from a fixed seed, so the model says nothing
worth reading; everything around them is what a real file has: the full set of
general keys, hyper-parameters that fit the tensor shapes, a SentencePiece-like
vocabulary with byte fallback, a chat template, and the mixture of block types
that the Q4_K_M recipe gives to a model of two layers.
"""
import sys
from pathlib import Path

import libgguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter, LlamaFileType, TokenType
from gguf.utility import naming_convention, size_label

SEED = 20240229
EMBEDDING = 256     # one K-quant super-block per row
FEED_FORWARD = 256
LAYERS = 2
HEADS = 4
HEADS_KV = 2
HEAD_SIZE = 16      # smaller than 256 / 4 to keep the file small; stated by key_length and value_length

TEMPLATE = """\
{{- bos_token }}
{%- for message in messages %}
    {%- if message['role'] not in ['system', 'user', 'assistant'] %}
        {{- raise_exception('Unknown role: ' + message['role']) }}
    {%- endif %}
    {{- '[' + message['role'] + '] ' + message['content'] | trim + eos_token + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '[assistant] ' }}
{%- endif %}
"""

PIECES = """
▁ ▁the ▁a ▁of ▁and ▁to ▁in ▁is ▁it ▁you ▁that ▁for ▁on ▁with ▁as ▁model ▁file ▁tensor ▁head ▁block ▁weight
▁key ▁value ▁read ▁write ▁was ▁be ▁this ▁from ▁data ▁hello ▁world ing ed er es ly tion able ment un re th he in an or at en st
e t a o i n s r h l d c u m f p g w y b v k x j q z 0 1 2 3 4 5 6 7 8 9 . , ! ? : ; ' - ( ) /
的 一 是 不 了 在 人 有 我 中 文 你 好 你好 世界 模型 权重 は の 안녕 привет é ß ñ 😀 🚀 🦙 👩‍💻
""".split()


def vocabulary(size: int) -> tuple[list[str], list[float], list[int]]:
    """Tokens, scores and types: three control tokens, 256 bytes, then pieces."""
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    types = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL] + [TokenType.BYTE] * 256
    scores = [0.0] * len(tokens)
    assert len(PIECES) == size - len(tokens), f"{len(PIECES)} pieces for {size - len(tokens)} places"
    tokens += PIECES
    types += [TokenType.NORMAL] * len(PIECES)
    scores += [-float(rank) for rank in range(len(PIECES))]
    assert len(set(tokens)) == size, "loaders refuse a vocabulary with a token twice"
    return tokens, scores, [int(t) for t in types]


def tensors(vocab: int):
    """(name, shape as [rows, columns] or [columns], block type) in file order."""
    q, kv = HEADS * HEAD_SIZE, HEADS_KV * HEAD_SIZE
    # No output.weight: the embedding is tied, and the recipe gives it the type of an output matrix.
    yield "token_embd.weight", (vocab, EMBEDDING), Type.Q6_K
    for layer in range(LAYERS):
        # The recipe spends more bits on the values and the down projection of the last layers.
        fine = Type.Q6_K if layer >= 7 * LAYERS // 8 else Type.Q4_K
        blk = f"blk.{layer}"
        yield f"{blk}.attn_norm.weight", (EMBEDDING,), Type.F32
        yield f"{blk}.attn_q.weight", (q, EMBEDDING), Type.Q4_K
        yield f"{blk}.attn_k.weight", (kv, EMBEDDING), Type.Q4_K
        yield f"{blk}.attn_v.weight", (kv, EMBEDDING), fine
        # 64 columns do not fill a super-block of 256, so this one falls back to 32-element blocks.
        yield f"{blk}.attn_output.weight", (EMBEDDING, q), Type.Q5_0
        yield f"{blk}.ffn_norm.weight", (EMBEDDING,), Type.F32
        yield f"{blk}.ffn_gate.weight", (FEED_FORWARD, EMBEDDING), Type.Q4_K
        yield f"{blk}.ffn_up.weight", (FEED_FORWARD, EMBEDDING), Type.Q4_K
        yield f"{blk}.ffn_down.weight", (EMBEDDING, FEED_FORWARD), fine
    yield "output_norm.weight", (EMBEDDING,), Type.F32


def metadata(writer: GGUFWriter, label: str, vocab: tuple[list[str], list[float], list[int]]) -> None:
    tokens, scores, types = vocab
    writer.add_type("model")
    writer.add_name("Tiny Llama")
    writer.add_author("The ggufkit developers")
    writer.add_version("v1.0")
    writer.add_organization("ggufkit")
    writer.add_basename("Tiny-Llama")
    writer.add_description("A two-layer llama with random weights: a small file in which every part of a real one occurs.")
    writer.add_quantized_by("The ggufkit developers")
    writer.add_size_label(label)
    writer.add_license("mit")
    writer.add_tags(["sample", "llama", "text-generation"])
    writer.add_languages(["en", "zh"])
    writer.add_block_count(LAYERS)
    writer.add_context_length(2048)
    writer.add_embedding_length(EMBEDDING)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS_KV)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_key_length(HEAD_SIZE)
    writer.add_value_length(HEAD_SIZE)
    writer.add_rope_dimension_count(HEAD_SIZE)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(LlamaFileType.MOSTLY_Q4_K_M)
    writer.add_quantization_version(2)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(True)
    writer.add_chat_template(TEMPLATE)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    vocab = vocabulary(384)
    layout = list(tensors(len(vocab[0])))
    parameters = sum(int(np.prod(shape)) for _, shape, _ in layout)
    label = size_label(parameters, parameters, 0, 0)
    path = folder / (naming_convention(None, "Tiny-Llama", None, "v1.0", label, "Q4_K_M") + ".gguf")

    writer = GGUFWriter(path, "llama")
    metadata(writer, label, vocab)
    random = np.random.Generator(np.random.PCG64(SEED))
    for name, shape, kind in layout:
        if kind == Type.F32:
            writer.add_tensor(name, (1.0 + 0.1 * random.standard_normal(shape)).astype(np.float32))
        else:
            weights = (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
            writer.add_tensor(name, libgguf.quantize_rows(weights, int(kind)), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{path}: {path.stat().st_size} bytes, {parameters} parameters")


if __name__ == "__main__":
    main()
