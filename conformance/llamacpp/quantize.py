"""Holds `nrt quantize` against llama.cpp's quantizer on the same weights.

usage: quantize.py [MODEL] [--types Q8_0 Q4_0 ...] [--generate N] [--perplexity]

For each type it lets nrt quantize MODEL (SmolLM2 by default; any source that is not float is decoded first), then
 - quantizes the same float32 rows with ggml_quantize_chunk to the type that nrt chose for the tensor: the plain formats
   must be equal bit for bit, for the K formats it compares the mean-square errors (ours may be at most 2 % larger);
 - loads nrt's file in llama.cpp and generates N tokens greedily, which must be finite and must be text;
 - with --perplexity, has llama.cpp measure nrt's file beside the one it quantizes itself to the same type.
"""

import argparse
import ctypes
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader
from gguf.quants import dequantize

import logits
import oracle
import reader

EXACT = {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"}
FTYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "Q5_0": 8, "Q5_1": 9, "Q2_K": 10, "Q3_K_S": 11, "Q3_K_M": 12,
          "Q4_K_S": 14, "Q4_K_M": 15, "Q5_K_S": 16, "Q5_K_M": 17, "Q6_K": 18}
MSE_SLACK = 1.02
ROWS = 4096  # quantized at a time: bounds the memory


def ggml():
    import llama_cpp

    folder = pathlib.Path(llama_cpp.__file__).parent / "lib"
    lib = ctypes.CDLL(str(next(folder.glob("*ggml-base*"))))
    lib.ggml_quantize_chunk.restype = ctypes.c_size_t
    lib.ggml_quantize_chunk.argtypes = [
        ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    return lib


def as_float(tensor):
    """float32 rows [rows][cols] of a gguf tensor."""
    cols = int(tensor.shape[0])
    return np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32).reshape(-1, cols)


def theirs(lib, kind, rows, nbytes):
    """ggml's bytes for float32 rows."""
    if kind == GGMLQuantizationType.F32:
        return rows.tobytes()
    if kind == GGMLQuantizationType.F16:
        return rows.astype("<f2").tobytes()
    out = np.empty(nbytes, dtype=np.uint8)
    n = lib.ggml_quantize_chunk(int(kind), rows.ctypes.data, out.ctypes.data, 0, rows.shape[0], rows.shape[1], None)
    if n != nbytes:
        raise ValueError(f"ggml_quantize_chunk wrote {n} bytes, want {nbytes}")
    return out.tobytes()


class Tally:
    """What all tensors of one type in one file come to."""

    def __init__(self):
        self.tensors = self.blocks = self.equal = 0
        self.ours = self.theirs = self.power = 0.0

    def ratio(self):
        if self.theirs == 0:
            return 1.0 if self.ours == 0 else math.inf
        return self.ours / self.theirs


def compare(lib, source, produced):
    """Tally by type name of the tensors that nrt converted."""
    originals = {t.name: t for t in GGUFReader(source).tensors}
    copies = GGUFReader(produced).tensors
    if sorted(originals) != sorted(t.name for t in copies):
        raise ValueError("the tensors of the two files differ in name")
    tallies = {}
    for t in copies:
        original = originals[t.name]
        if list(original.shape) != list(t.shape):
            raise ValueError(f"{t.name} has shape {t.shape}, the original {original.shape}")
        if original.tensor_type == t.tensor_type:
            if original.data.tobytes() != t.data.tobytes():
                raise ValueError(f"{t.name} kept its type and changed its bytes")
            continue
        tally = tallies.setdefault(t.tensor_type.name, Tally())
        tally.tensors += 1
        rows, data = as_float(original), t.data.reshape(-1).view(np.uint8).reshape(int(np.prod(t.shape[1:])), -1)
        for at in range(0, len(rows), ROWS):
            chunk, got = np.ascontiguousarray(rows[at:at + ROWS]), data[at:at + ROWS]
            want = np.frombuffer(theirs(lib, t.tensor_type, chunk, got.size), dtype=np.uint8).reshape(got.shape)
            add(tally, t.tensor_type, chunk, got, want)
    return tallies


def add(tally, kind, rows, got, want):
    from gguf import GGML_QUANT_SIZES

    size = GGML_QUANT_SIZES[kind][1]
    same = (got.reshape(-1, size) == want.reshape(-1, size)).all(axis=1)
    tally.blocks += len(same)
    tally.equal += int(same.sum())
    tally.power += float((rows.astype(np.float64) ** 2).sum())
    view = {GGMLQuantizationType.F32: "<f4", GGMLQuantizationType.F16: "<f2"}.get(kind)
    for name, data in (("ours", got), ("theirs", want)):
        data = np.ascontiguousarray(data)
        back = dequantize(data.view(view) if view else data, kind).reshape(rows.shape)
        setattr(tally, name, getattr(tally, name) + float(((back.astype(np.float64) - rows) ** 2).sum()))


def generate(path, count):
    """Greedy text of llama.cpp with the file."""
    llama = oracle.load(path, n_ctx=256)
    prompt = oracle.tokenize(llama, "The capital of France is")
    if oracle.adds_bos(llama):
        prompt.insert(0, llama.token_bos())
    llama.eval(prompt)
    out = []
    for _ in range(count):
        scores = np.ctypeslib.as_array(llama._ctx.get_logits(), shape=(llama.n_vocab(),))
        if not np.isfinite(scores).all():
            raise ValueError("llama.cpp computes logits that are not finite")
        out.append(int(scores.argmax()))
        llama.eval(out[-1:])
    return llama.detokenize(out).decode("utf-8", "replace")


def perplexity(path, tokens=1024, ctx=512):
    """llama.cpp's perplexity of the test text with the file; the second half of each window counts."""
    llama = oracle.load(path, n_ctx=ctx, n_batch=ctx, logits_all=True)
    with open(oracle.TEXT, encoding="utf-8") as f:
        ids = oracle.tokenize(llama, f.read())[:tokens]
    nll = []
    for window in logits.windows(llama, ids, ctx):
        rows = logits.rows(llama, window)
        nll += [-reader.log_softmax(rows[i].astype(np.float64))[window[i + 1]] for i in range(ctx // 2, ctx - 1)]
    return math.exp(np.mean(nll))


def their_file(source, name, out):
    import llama_cpp

    oracle.load(source, vocab_only=True)  # hushes llama.cpp
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.allow_requantize = FTYPES[name], True
    if llama_cpp.llama_model_quantize(str(source).encode(), str(out).encode(), ctypes.byref(params)) != 0:
        raise ValueError(f"llama.cpp cannot quantize to {name}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="?")
    p.add_argument("--types", nargs="+", default=["Q8_0", "Q4_0", "Q5_0", "Q5_1", "Q4_K_M", "Q6_K"])
    p.add_argument("--generate", type=int, default=16)
    p.add_argument("--perplexity", action="store_true")
    a = p.parse_args()
    source, nrt, lib, failed = a.model or oracle.smollm2(), oracle.nrt_binary(), ggml(), False
    blocks = [("file", "tensors of", "count", "blocks", "equal", "error ours", "error theirs", "ratio", "verdict")]
    files = [("file", "bytes", "perplexity", "llama.cpp's own", "llama.cpp goes on with it")]
    with tempfile.TemporaryDirectory(prefix="nrt-quantize-") as folder:
        for name in a.types:
            out = pathlib.Path(folder) / f"{name}.gguf"
            subprocess.run([nrt, "quantize", str(source), str(out), "--type", name], check=True, stdout=subprocess.DEVNULL)
            for kind, t in sorted(compare(lib, source, out).items()):
                good = t.equal == t.blocks if kind in EXACT else t.ratio() <= MSE_SLACK
                failed |= not good
                blocks.append((name, kind, t.tensors, t.blocks, f"{t.equal / t.blocks:.6f}", f"{math.sqrt(t.ours / t.power):.6f}",
                               f"{math.sqrt(t.theirs / t.power):.6f}", f"{t.ratio():.4f}", "ok" if good else "FAILED"))
            ours = own = ""
            if a.perplexity:
                their_file(source, name, pathlib.Path(folder) / "theirs.gguf")
                ours, own = f"{perplexity(out):.4f}", f"{perplexity(pathlib.Path(folder) / 'theirs.gguf'):.4f}"
            files.append((name, out.stat().st_size, ours, own, repr(generate(out, a.generate))))
            out.unlink()
    oracle.table(blocks)
    print("\nerror: root mean square relative to the weights'; ratio: of the mean-square errors\n")
    oracle.table(files)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
