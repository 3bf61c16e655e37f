"""llama.cpp's logits over a text, teacher-forced, as the logits file that `nrt eval --compare-logits` reads.

usage: logits.py MODEL TEXT OUT [--tokens N] [--ctx C] [--first F] [--exact]

The first N tokens of TEXT are cut into windows of C tokens; where the model starts texts with BOS, BOS takes the place
of each window's first token. With --exact nothing is rounded to less than float32: keys and values are kept so, and each
window is one batch, for which a llama.cpp with BLAS decodes weights instead of rounding activations. The file (package bench has the same description) is little-endian: "nrtlogit", then
uint32 version 1, vocab, windows, C, F; then for each window C int32 tokens and C-1-F rows of vocab float32 logits. Row i
is what the model says after tokens[:F+i+1]; the last token of a window has none.
"""

import argparse
import struct

import numpy as np

import oracle


def windows(llama, tokens, size):
    size = min(size, len(tokens))
    bos = llama.token_bos() if oracle.adds_bos(llama) else None
    for start in range(0, len(tokens) - size + 1, size):
        window = list(tokens[start:start + size])
        if bos is not None:
            window[0] = bos
        yield window


def rows(llama, window):
    """Logits [len(window)-1][vocab]."""
    llama.reset()
    llama.eval(window[:-1])
    return llama.scores[:len(window) - 1]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model")
    p.add_argument("text")
    p.add_argument("out")
    p.add_argument("--tokens", type=int, default=2560, help="how much of the text (default 2560)")
    p.add_argument("--ctx", type=int, default=512, help="tokens of a window (default 512)")
    p.add_argument("--first", type=int, default=0, help="position of each window's first row (default 0)")
    p.add_argument("--exact", action="store_true", help="float32 activations, keys and values; wants a llama.cpp with BLAS")
    a = p.parse_args()
    llama = oracle.load(a.model, n_ctx=a.ctx, n_batch=a.ctx, logits_all=True, **(oracle.exact(a.ctx) if a.exact else {}))
    with open(a.text, encoding="utf-8") as f:
        tokens = llama.tokenize(f.read().encode(), add_bos=oracle.adds_bos(llama), special=False)[:a.tokens]
    cut = list(windows(llama, tokens, a.ctx))
    with open(a.out, "wb") as out:
        out.write(b"nrtlogit" + struct.pack("<5I", 1, llama.n_vocab(), len(cut), len(cut[0]), a.first))
        for window in cut:
            out.write(np.asarray(window, dtype="<i4").tobytes())
            out.write(rows(llama, window)[a.first:].astype("<f4").tobytes())
    print(f"{a.out}: {len(cut)} windows of {len(cut[0])} tokens, {len(cut) * (len(cut[0]) - 1 - a.first)} rows, "
          f"vocabulary {llama.n_vocab()}, {oracle.version()}")


if __name__ == "__main__":
    main()
