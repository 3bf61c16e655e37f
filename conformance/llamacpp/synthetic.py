"""Writes a small llama model with random float32 weights in rows that every number format can take.

usage: synthetic.py OUT

SmolLM2's rows of 576 weights are no multiple of the 256 that the K formats need; this model's are. Its weights have heavier
tails than a normal distribution, and every third matrix a few columns of outliers, as trained models have.
"""

import sys

import gguf
import numpy as np

EMBED, FFN, LAYERS, HEADS, KV_HEADS, CONTEXT = 512, 1024, 8, 8, 4, 256


def vocabulary():
    """The smallest SPM vocabulary that spells everything: the specials, all bytes, and letters."""
    tokens = [("<unk>", 2), ("<s>", 3), ("</s>", 3)]
    tokens += [(f"<0x{b:02X}>", 6) for b in range(256)]
    tokens += [(c, 1) for c in "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,"]
    return tokens


def matrix(rng, rows, cols, outliers):
    w = rng.standard_t(5, size=(rows, cols)) * 0.6 / np.sqrt(cols)
    if outliers:
        w[:, rng.choice(cols, 4, replace=False)] *= 8
    return w.astype(np.float32)


def write(out, seed=1):
    rng = np.random.default_rng(seed)
    tokens = vocabulary()
    w = gguf.GGUFWriter(str(out), "llama")
    w.add_name("synthetic")
    w.add_context_length(CONTEXT)
    w.add_embedding_length(EMBED)
    w.add_feed_forward_length(FFN)
    w.add_block_count(LAYERS)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV_HEADS)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_dimension_count(EMBED // HEADS)
    w.add_rope_freq_base(10000.0)
    w.add_vocab_size(len(tokens))
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    w.add_tokenizer_model("llama")
    w.add_token_list([t for t, _ in tokens])
    w.add_token_scores([-float(i) for i in range(len(tokens))])
    w.add_token_types([kind for _, kind in tokens])
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_unk_token_id(0)
    shapes = {"token_embd": (len(tokens), EMBED), "output": (len(tokens), EMBED)}
    kv = EMBED // HEADS * KV_HEADS
    for layer in range(LAYERS):
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in {
            "attn_q": (EMBED, EMBED), "attn_k": (kv, EMBED), "attn_v": (kv, EMBED), "attn_output": (EMBED, EMBED),
            "ffn_gate": (FFN, EMBED), "ffn_up": (FFN, EMBED), "ffn_down": (EMBED, FFN)}.items()}
        for name in ("attn_norm", "ffn_norm"):
            w.add_tensor(f"blk.{layer}.{name}.weight", np.ones(EMBED, dtype=np.float32))
    w.add_tensor("output_norm.weight", np.ones(EMBED, dtype=np.float32))
    for n, (name, (rows, cols)) in enumerate(shapes.items()):
        w.add_tensor(f"{name}.weight", matrix(rng, rows, cols, n % 3 == 0))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1])
