"""Strings that tokenizers get wrong: our own, and random ones from a fixed seed."""

import random

FIXED = [
    "", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n ", "\t\t x", "a\n\n\nb", "   lead", "trail   ", "a  b   c    d",
    "Hello, world!", "hello world", "HELLO", "It's we'll they'd I'm you've don't CAN'T", "it’s", "' s", "'S 'Ll",
    "0", "12", "123", "1234", "1234567890", "3.14159", "1,000,000", "2026-11-20T21:30:00Z", "0x1F", "v1.2.3-rc4", "½ ² Ⅷ",
    "def f(x):\n    return x ** 2  # square\n", "for (int i = 0; i < n; ++i) { a[i] += b[i]; }",
    "<div class=\"a\">x</div>", "SELECT * FROM t WHERE a='b';", "a\\nb\\t", "{\"k\": [1, 2.5e-3, null]}", "$HOME/.cache/x",
    "https://example.org/a?b=c&d=%20#e", "me@example.org", "C:\\Users\\x", "#!/bin/sh\nset -e\n", "```go\nfunc main() {}\n```",
    "naïve café façade", "nai\u0308ve cafe\u0301", "Ångström Åse", "ﬁne ﬀ", "ß ẞ İ ı", "Straße", "ÆæŒœ",
    "Привет, мир", "Γειά σου Κόσμε", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "こんにちは世界", "你好,世界", "안녕하세요 세계",
    "漢字かなカナ", "你好123世界", "日本語 text 混在", "한글abc", "ไทย123", "\u1100\u1161\u11a8",
    "🙂", "🙂🙃", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪🇫🇷", "❤️", "a🙂b", "🧑‍💻 codes", "\u200b\u200c\u200d\ufeff", "a\u00a0b", "\u3000x", "\u2028\u2029",
    "a\u0000b", "\x01\x02\x7f", "\u0085", "\u202eabc", "\ue000", "\U0010ffff", "\U0001f9ff\U00020000",
    "...", "…", "?!?!", "---", "***", "===", "((()))", "“quoted” ‘text’ — dash – dash", "a_b-c.d/e:f;g", "!!!!!!!!!!!!", "~`@#$%^&*()_+|",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abababababababababab", " " * 37, "\n" * 19, "\t" * 9, "=" * 80, "9" * 41, "x" * 300,
    "antidisestablishmentarianism", "Donaudampfschifffahrtsgesellschaft", "pneumonoultramicroscopicsilicovolcanoconiosis",
    "The quick brown fox jumps over the lazy dog.", "camelCaseString PascalCase snake_case SCREAMING_CASE", "iOS9 GPT4 H2O",
    "▁under▁score", "Ġspace Ċnewline", "##ing", "</w>", "@@",
]

# Text that looks like the special tokens of common models: a token when parsing specials, plain text otherwise.
SPECIAL = [
    "<s>", "</s>", "<unk>", "<pad>", "<|endoftext|>", "<|im_start|>user\nhi<|im_end|>\n", "<|im_start|>", "<|im_end|", "|im_end|>",
    "a<|im_end|>b", "<|im_end|><|im_end|>", " <|im_end|> ", "<0x0A>", "<|begin_of_text|>", "[INST] x [/INST]", "[CLS] a [SEP]",
    "<|file_separator|>", "<repo_name>", "<|IM_START|>",
]

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCXYZ", "0123456789", " ", " ", "\n", "\t", ".,;:!?'\"-()[]{}", "éüñçøå", "жшю", "λΩ", "漢字語",
    "ひらカタ", "한글", "🙂👍❤", "\u0301\u0308", "\u200d\ufe0f", "‘’“”–—…", "_/\\@#$%^&*+=<>|~`", "١٢٣", "नि", "ไท",
]


def randoms(count=400, seed=20261120):
    """Strings of runs, each run from one alphabet: the seams are where pre-tokenizers split."""
    r = random.Random(seed)
    for _ in range(count):
        runs = []
        for _ in range(r.randint(1, 9)):
            letters = r.choice(ALPHABETS)
            runs.append("".join(r.choice(letters) for _ in range(r.randint(1, 6))))
        yield "".join(runs)


def corpus():
    return FIXED + SPECIAL + list(randoms())
