"""Holds `nrt tokenize` against llama.cpp's tokenizer on strings.py.

usage: tokens.py [MODEL ...] [--show N]

Every string is tokenized with and without parsing special tokens. MODEL may be a file with a vocabulary only; llama.cpp
aborts on one that cannot spell every byte.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

import oracle
import strings


def ours(nrt, model, text, special):
    """nrt's ids."""
    args = [nrt, "tokenize", "-m", str(model), "--ids", "--no-bos"] + ([] if special else ["--no-parse-special"])
    return json.loads(subprocess.run(args, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="*")
    p.add_argument("--show", type=int, default=5, help="differences to print for each model (default 5)")
    a = p.parse_args()
    nrt, texts, failed = oracle.nrt_binary(), strings.corpus(), False
    rows = [("model", "special", "strings", "equal", "verdict")]
    for model in a.models or [oracle.smollm2()]:
        llama = oracle.load(model, vocab_only=True)
        for special in (False, True):
            theirs = [oracle.tokenize(llama, t, special) for t in texts]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                got = list(pool.map(lambda text: ours(nrt, model, text, special), texts))
            wrong = [(t, o, w) for t, o, w in zip(texts, got, theirs, strict=True) if o != w]
            for text, o, w in wrong[:a.show]:
                print(f"{text!r}\n  nrt       {o}\n  llama.cpp {w}")
            failed |= bool(wrong)
            rows.append((str(model).rsplit("/", 1)[-1], "parsed" if special else "as text", len(texts), len(texts) - len(wrong),
                         "FAILED" if wrong else "ok"))
    oracle.table(rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
