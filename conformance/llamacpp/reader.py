"""Reads logits files (logits.py has the format) and measures how far two of them stand apart, in float64 numpy.

usage: reader.py REFERENCE OTHER

It is the second opinion on package bench's arithmetic, and with two files of llama.cpp (other threads, other kernels, a
float32 copy of the weights) it tells how far an engine stands from itself.
"""

import json
import struct
import sys

import numpy as np


def positions(path):
    """Yields (target token, logits [vocab] float64) for every row of the file, memory-mapped."""
    with open(path, "rb") as f:
        head = f.read(28)
    if head[:8] != b"nrtlogit":
        raise ValueError(f"{path} is no logits file: it starts with {head[:8]!r}")
    version, vocab, windows, size, first = struct.unpack("<5I", head[8:])
    if version != 1:
        raise ValueError(f"{path} has version {version}, want 1")
    words = np.memmap(path, dtype="<u4", mode="r", offset=28)
    count = size - 1 - first
    step = size + count * vocab
    if len(words) != windows * step:
        raise ValueError(f"{path} has {len(words)} words after its header, want {windows * step}")
    for start in range(0, len(words), step):
        tokens = words[start:start + size].view("<i4")
        logits = words[start + size:start + step].view("<f4").reshape(count, vocab)
        for i in range(count):
            yield int(tokens[first + i + 1]), logits[i].astype(np.float64)


def log_softmax(logits):
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


def nearest_rank(values, q):
    return np.quantile(values, q, method="inverted_cdf")


def compare(reference, other):
    """The measures of `nrt eval --compare-logits --json`, of OTHER against REFERENCE."""
    kl, same, ref_nll, other_nll = [], [], [], []
    for (target, a), (target_b, b) in zip(positions(reference), positions(other), strict=True):
        if target != target_b:
            raise ValueError(f"the texts differ: token {target} and {target_b}")
        p, q = log_softmax(a), log_softmax(b)
        kl.append(float((np.exp(p) * (p - q)).sum()))
        same.append(a.argmax() == b.argmax())
        ref_nll.append(-p[target])
        other_nll.append(-q[target])
    return {
        "positions": len(kl),
        "mean_kl": np.mean(kl), "median_kl": nearest_rank(kl, 0.5), "p99_kl": nearest_rank(kl, 0.99), "max_kl": max(kl),
        "same_top": np.mean(same),
        "quality": {"perplexity": np.exp(np.mean(other_nll))},
        "reference_quality": {"perplexity": np.exp(np.mean(ref_nll))},
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(json.dumps(compare(sys.argv[1], sys.argv[2]), indent=2))
