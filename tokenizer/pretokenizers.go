package tokenizer

import (
	"math"
	"slices"
)

// preTokenizer is one row of the table: the names in tokenizer.ggml.pre that stand for it, the regular expressions in a
// tokenizer.json that do, and what comes with the name in a GGUF file.
type preTokenizer struct {
	names    []string
	patterns []string  // only where the whole row is one expression
	stages   []scanner // each cuts the pieces of the one before
	whole    bool      // a word that is a token is not merged together (ignore_merges)
	bos      bool      // a text begins with BOS unless add_bos_token says otherwise
	nfc      bool      // the model's own tokenizer brings text to NFC first
	sep      bool      // a text ends with SEP
}

const (
	contractionPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|`
	wordTail           = ` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	casedTail          = ` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	casedLower         = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
	casedUpper         = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`
	casedContraction   = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?|`
	gpt2Pattern        = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
)

var (
	llama3Rules = wordRules{letters: letter, digits: 3, tail: "\r\n", contractions: true}
	qwen2Rules  = wordRules{letters: letter, digits: 1, tail: "\r\n", contractions: true}
	qwen35Rules = wordRules{letters: letter | mark, digits: 1, tail: "\r\n", contractions: true}
	seedRules   = wordRules{letters: letter, digits: 1, contractions: true}
	plainRules  = wordRules{letters: letter, digits: 1, tail: "\r\n"}
	numberRules = wordRules{letters: letter, digits: math.MaxInt, tail: "\r\n", contractions: true}
	gpt4oRules  = casedRules{digits: 3, contractions: true}
	tekkenRules = casedRules{digits: 1}
)

// defaultPre is the row for a file that names no pre-tokenizer.
const defaultPre = "default"

var preTokenizers = []preTokenizer{
	{names: []string{defaultPre}, stages: []scanner{
		isolate(defaultPunct.run), gpt2, runs(number), isolate(digitTriples)}},
	{names: []string{"gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4", "jina-es", "jina-de",
		"jina-v2-es", "jina-v2-de", "gigachat", "a.x-4.0", "mellum", "modern-bert"},
		patterns: []string{gpt2Pattern}, stages: []scanner{gpt2}},
	{names: []string{"roberta-bpe", "jina-v1-en", "jina-v2-code"}, stages: []scanner{gpt2}, sep: true},
	{names: []string{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"},
		patterns: []string{contractionPattern + `[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|` + wordTail},
		stages:   []scanner{llama3Rules.scan}, whole: true, bos: true},
	{names: []string{"dbrx", "smaug-bpe", "chatglm-bpe"}, stages: []scanner{llama3Rules.scan}},
	{names: []string{"glm4", "glm5"}, stages: []scanner{llama3Rules.scan}, whole: true},
	{names: []string{"minicpm5"}, stages: []scanner{groups(number, 3), numberRules.scan}, whole: true},
	{names: []string{"qwen2"},
		patterns: []string{contractionPattern + `[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|` + wordTail},
		stages:   []scanner{qwen2Rules.scan}, nfc: true},
	{names: []string{"stablelm2", "hunyuan", "megrez", "grok-2", "solar-open", "kormo", "f2llmv2",
		"deepseek-r1-qwen"},
		stages: []scanner{qwen2Rules.scan}},
	{names: []string{"bailingmoe", "bailingmoe2", "llada-moe"},
		patterns: []string{`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`},
		stages:   []scanner{qwen2Rules.scan}},
	{names: []string{"qwen35"},
		patterns: []string{contractionPattern + `[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
		stages:   []scanner{qwen35Rules.scan}, nfc: true},
	{names: []string{"seed-coder"},
		patterns: []string{contractionPattern + `[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}` + "\r\n" + `]+|\s*[` + "\r\n" + `]+|\s+(?!\S)|\s+`},
		stages:   []scanner{seedRules.scan}},
	{names: []string{"ufakzeka"}, patterns: []string{`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|` + wordTail},
		stages: []scanner{plainRules.scan}},
	{names: []string{"smollm", "starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2"},
		stages: []scanner{singles(number), gpt2}},
	{names: []string{"command-r"}, stages: []scanner{singles(number), gpt2}, nfc: true},
	{names: []string{"falcon"}, stages: []scanner{isolate(falconPunct.run), gpt2, isolate(digitTriples)}},
	{names: []string{"deepseek-llm"}, stages: []scanner{
		isolate(lineBreak), isolate(deepseekCased.afterSpace), isolate(deepseekPunct.afterSpace), trailingSpace,
		isolate(deepseekAsian.run), runs(number)}},
	{names: []string{"deepseek-coder"}, stages: []scanner{
		isolate(lineBreak), isolate(deepseekLetters.afterSpace), isolate(deepseekAnyPunct.afterSpace),
		isolate(deepseekAsian.run), singles(number)}},
	{names: []string{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"}, stages: []scanner{
		groups(number, 3), isolate(deepseekV3Asian.run), isolate(deepseekV3)}},
	{names: []string{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"},
		patterns: []string{casedLower + casedContraction + casedUpper + casedContraction + `\p{N}{1,3}|` + casedTail},
		stages:   []scanner{gpt4oRules.scan}},
	{names: []string{"granite-embed-multi-97m"}, stages: []scanner{gpt4oRules.scan}, whole: true},
	{names: []string{"tekken"},
		patterns: []string{casedLower + `|` + casedUpper + `|\p{N}|` + casedTail},
		stages:   []scanner{tekkenRules.scan}, whole: true, bos: true},
	{names: []string{"bloom", "gpt3-finnish", "poro-chat"}, patterns: []string{` ?[^(\s|[.,!?…。，、।۔،])]+`},
		stages: []scanner{isolate(bloomWord)}},
	{names: []string{"viking"}, stages: []scanner{isolate(bloomWord), singles(number)}},
	// The model's own rules begin with <sentinel:[0-9]+>, which the later ones take apart again.
	{names: []string{"chameleon"}, bos: true, stages: []scanner{
		isolate(imageToken), isolate(indent), singles(number), isolate(punctuationMark), gpt2}},
}

// patternScanner is the scanner of a regular expression in a tokenizer.json, nil for one that is not known.
func patternScanner(pattern string) scanner {
	for i := range preTokenizers {
		if slices.Contains(preTokenizers[i].patterns, pattern) {
			return preTokenizers[i].stages[0]
		}
	}
	return patternScanners[pattern]
}

// patternScanners are expressions that occur as one step among others.
var patternScanners = map[string]scanner{
	`\p{N}`:           singles(number),
	`\p{N}{1,3}`:      groups(number, 3),
	`\p{N}+`:          runs(number),
	`[0-9][0-9][0-9]`: isolate(digitTriples),
	"[\r\n]":          isolate(lineBreak),
	`[\r\n]`:          isolate(lineBreak),
	`\s?\p{L}+`:       isolate(deepseekLetters.afterSpace),
	`\s?\p{P}+`:       isolate(deepseekAnyPunct.afterSpace),
	"\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+": isolate(deepseekPunct.afterSpace),
	`\s+$`:                   trailingSpace,
	"[一-龥\u0800-一가-\ud7ff]+": isolate(deepseekAsian.run),
	"[一-龥\u3040-ゟ゠-ヿ]+":      isolate(deepseekV3Asian.run),
	deepseekV3Pattern:        isolate(deepseekV3),
}

// deepseekV3Pattern has its line ends as themselves.
const deepseekV3Pattern = `[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_` + "`" + `{|}~][A-Za-z]+|[^` + "\r\n" +
	`\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[` + "\r\n" + `]*|\s*[` + "\r\n" + `]+|\s+(?!\S)|\s+`
