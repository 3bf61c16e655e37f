"""Writes the golden that lets the tests of package bench hold nrt against llama.cpp where there is no llama.cpp.

usage: golden.py REFERENCE BASELINE OUT.json.gz [--top 16]

REFERENCE is a logits file of llama.cpp on a float32 copy of the weights, BASELINE one on the quantized file itself. For
every position of the first window the golden has REFERENCE's log-probability of the true next token, and its likeliest
tokens with theirs (natural logarithms); what the other tokens share is one minus their sum. Over these coarse
distributions it also says how far BASELINE stands from REFERENCE: what rounding activations to 8 bits costs.
"""

import argparse
import gzip
import json
import struct

import numpy as np

import oracle
import reader


def coarse_kl(logp, logq, ids):
    """KL over the tokens in ids and one class for all others: never more than KL over all tokens."""
    p, q = np.exp(logp[ids]), np.exp(logq[ids])
    rest_p, rest_q = 1 - p.sum(), 1 - q.sum()
    return float((p * (logp[ids] - logq[ids])).sum() + rest_p * np.log(rest_p / rest_q))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("reference")
    p.add_argument("baseline")
    p.add_argument("out")
    p.add_argument("--top", type=int, default=16)
    a = p.parse_args()
    with open(a.reference, "rb") as f:
        size = struct.unpack("<I", f.read(28)[20:24])[0]
        tokens = np.frombuffer(f.read(4 * size), dtype="<i4")
    golden = {"made by": oracle.version(), "tokens": tokens.tolist(), "target": [], "ids": [], "logprobs": []}
    kl, same, nll = [], [], []
    pairs = zip(range(size - 1), reader.positions(a.reference), reader.positions(a.baseline))
    for _, (target, reference), (_, baseline) in pairs:
        logp, logq = reader.log_softmax(reference), reader.log_softmax(baseline)
        ids = np.argsort(-logp, kind="stable")[:a.top]
        golden["target"].append(round(float(logp[target]), 5))
        golden["ids"].append(ids.tolist())
        golden["logprobs"].append([round(float(logp[j]), 5) for j in ids])
        kl.append(coarse_kl(logp, logq, ids))
        same.append(logp.argmax() == logq.argmax())
        nll.append(-logq[target])
    golden["baseline"] = {"kl": float(np.mean(kl)), "same_top": float(np.mean(same)), "nll": float(np.mean(nll))}
    text = json.dumps(golden, separators=(",", ":")).encode()
    with open(a.out, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0, compresslevel=9) as out:
        out.write(text)
    print(f"{a.out}: {len(kl)} positions, baseline {golden['baseline']}")


if __name__ == "__main__":
    main()
