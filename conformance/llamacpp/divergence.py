"""Holds nrt's distributions against llama.cpp's on a text.

usage: divergence.py [MODEL] [--tokens N] [--ctx C] [--keep FOLDER]

The yardstick is llama.cpp on a float32 copy of MODEL's weights. The 8-bit activations of a quantized run cannot serve:
a rounding that falls the other way changes the next one, so that llama.cpp with flash attention on stands about 4e-3
nats from llama.cpp with it off. Three runs are held against the yardstick:

 float32    nrt on the float32 copy: the same arithmetic up to its order. It must all but agree.
 quantized  nrt on MODEL itself: it may stand no further away than llama.cpp does.
 llama.cpp  llama.cpp on MODEL itself: what 8-bit activations cost there.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import oracle
import reader

FLOAT32 = 0             # llama.cpp's number of the file type
MAX_KL = 2e-3           # nats, mean, of the float32 run
MIN_SAME_TOP = 0.985    # share of positions, of the float32 run
MAX_PERPLEXITY = 0.005  # relative difference, of either run from llama.cpp with the same weights
MAX_RATIO = 1.1         # mean KL of the quantized run to llama.cpp's


def logits(model, out, a):
    here = pathlib.Path(__file__).resolve().parent
    subprocess.run([sys.executable, str(here / "logits.py"), str(model), str(oracle.TEXT), str(out), "--tokens", str(a.tokens),
                    "--ctx", str(a.ctx)], check=True)


def ours(nrt, model, reference):
    """nrt's own measures against a logits file."""
    out = subprocess.run([nrt, "eval", "-m", str(model), "--compare-logits", str(reference), "--json"],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="?")
    p.add_argument("--tokens", type=int, default=2560)
    p.add_argument("--ctx", type=int, default=512)
    a = p.parse_args()
    model, nrt = a.model or oracle.smollm2(), oracle.nrt_binary()
    with tempfile.TemporaryDirectory(prefix="nrt-divergence-") as folder:
        folder = pathlib.Path(folder)
        oracle.quantize(model, folder / "f32.gguf", FLOAT32)
        logits(folder / "f32.gguf", folder / "f32.logits", a)
        logits(model, folder / "own.logits", a)
        theirs = reader.compare(folder / "f32.logits", folder / "own.logits")
        runs = {"float32": ours(nrt, folder / "f32.gguf", folder / "f32.logits"), "quantized": ours(nrt, model, folder / "f32.logits")}
    report(runs, theirs)


if __name__ == "__main__":
    main()
