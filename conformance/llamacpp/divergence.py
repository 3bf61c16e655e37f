"""Holds nrt's distributions against llama.cpp's on a text.

usage: divergence.py [MODEL] [--tokens N] [--ctx C]

Both engines run the very same file with float32 activations, where nothing but their arithmetic can tell them apart:
llama.cpp with BLAS ($NRT_CONFORMANCE_BLAS is the Python that has it; run.py makes it), nrt with --activations f32.

What 8-bit activations cost is measured from another yardstick, llama.cpp on a float32 copy of MODEL's weights; why not
from its 8-bit run of MODEL, ../README.md tells. Three runs are held against it:

 float32    nrt on the float32 copy: the same arithmetic up to its order. It must all but agree.
 quantized  nrt on MODEL itself: it may stand no further away than llama.cpp does.
 llama.cpp  llama.cpp on MODEL itself.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import oracle
import reader

ALL_F32 = 0             # llama.cpp's number of that file type
SAME_FILE_KL = 2e-3     # nats, mean, of nrt to llama.cpp on the same file, both with float32 activations
SAME_FILE_TOP = 0.985
FLOAT32_KL = 1e-5       # nats, mean, of the float32 run; llama.cpp with flash attention on stands at 7e-7
FLOAT32_SAME_TOP = 0.995
PERPLEXITY = 0.005      # relative difference of either run's from llama.cpp's with the same weights
QUANTIZED_RATIO = 1.1   # mean KL of the quantized run to llama.cpp's


def logits(model, out, a, *options, python=sys.executable):
    here = pathlib.Path(__file__).resolve().parent
    subprocess.run([python, str(here / "logits.py"), str(model), str(oracle.TEXT), str(out), "--tokens", str(a.tokens),
                    "--ctx", str(a.ctx), *options], check=True)


def ours(nrt, model, reference, *options):
    """nrt's own measures against a logits file."""
    out = subprocess.run([nrt, "eval", "-m", str(model), "--compare-logits", str(reference), "--json", *options],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="?")
    p.add_argument("--tokens", type=int, default=2560)
    p.add_argument("--ctx", type=int, default=512)
    a = p.parse_args()
    model, nrt = a.model or oracle.smollm2(), oracle.nrt_binary()
    blas = os.environ.get("NRT_CONFORMANCE_BLAS", sys.executable)
    with tempfile.TemporaryDirectory(prefix="nrt-divergence-") as folder:
        folder = pathlib.Path(folder)
        logits(model, folder / "same.logits", a, "--exact", python=blas)
        same = ours(nrt, model, folder / "same.logits", "--activations", "f32")
        oracle.quantize(model, folder / "f32.gguf", ALL_F32)
        logits(folder / "f32.gguf", folder / "f32.logits", a)
        logits(model, folder / "own.logits", a)
        theirs = reader.compare(folder / "f32.logits", folder / "own.logits")
        exact = ours(nrt, folder / "f32.gguf", folder / "f32.logits")
        quantized = ours(nrt, model, folder / "f32.logits")
    print()
    sys.exit(report(same, exact, quantized, theirs))


def report(same, exact, quantized, theirs):
    """Prints the runs and the goals; how many goals were missed."""
    rows = [("run: weights, activations", "against", "positions", "mean KL", "median", "99 %", "max", "same top", "perplexity", "its")]
    for name, against, run in (("nrt: file, float32", "llama.cpp: file, float32", same),
                               ("nrt: float32 copy", "llama.cpp: float32 copy", exact),
                               ("nrt: file, int8", "llama.cpp: float32 copy", quantized),
                               ("llama.cpp: file, int8", "llama.cpp: float32 copy", theirs)):
        rows.append((name, against, run["positions"], *(f"{run[k]:.3e}" for k in ("mean_kl", "median_kl", "p99_kl", "max_kl")),
                     f"{run['same_top']:.4f}", f"{run['quality']['perplexity']:.4f}",
                     f"{run['reference_quality']['perplexity']:.4f}"))
    oracle.table(rows)
    print()
    reference, blas = (run["reference_quality"]["perplexity"] for run in (exact, same))
    off = lambda run, base: abs(run["quality"]["perplexity"] / base - 1)
    goals = [
        ("same file, float32 activations: mean KL", same["mean_kl"], SAME_FILE_KL),
        ("same file, float32 activations: share of other top tokens", 1 - same["same_top"], 1 - SAME_FILE_TOP),
        ("same file, float32 activations: perplexity off llama.cpp's", off(same, blas), PERPLEXITY),
        ("float32: mean KL", exact["mean_kl"], FLOAT32_KL),
        ("float32: share of other top tokens", 1 - exact["same_top"], 1 - FLOAT32_SAME_TOP),
        ("float32: perplexity off llama.cpp's", off(exact, reference), PERPLEXITY),
        ("quantized: mean KL to llama.cpp's", quantized["mean_kl"] / theirs["mean_kl"], QUANTIZED_RATIO),
        ("quantized: perplexity off llama.cpp's", off(quantized, theirs["quality"]["perplexity"]), PERPLEXITY),
    ]
    oracle.table([("goal", "found", "at most", "verdict")] +
                 [(what, f"{found:.3g}", f"{most:.3g}", "ok" if found <= most else "FAILED") for what, found, most in goals])
    return int(sum(found > most for _, found, most in goals))


if __name__ == "__main__":
    main()
