// Package sample turns logits into a token: a chain of samplers narrows the vocabulary down, and one random number
// picks from what is left.
//
// The chain is a list of names (Params.Samplers), each a row of one table and one small file with its formula and
// source; Default gives llama.cpp's order and values. Logit bias always comes first. Mirostat, where it is asked for,
// replaces everything but temperature, as it does in llama.cpp.
//
// # Random numbers
//
// Every draw is a function of (seed, request, position, purpose) and of nothing else: Philox4x32-10 in counter mode, no
// state. Position counts the tokens accepted so far, prompt included. So an answer does not depend on what else the
// machine computes, on how often a token was sampled speculatively, or on which machine goes on with it.
//
// # The same on every machine
//
// Only IEEE additions, multiplications, divisions and square roots are used, never a fused multiply-add (the compiler
// fuses x*y+z on some machines; float64(x*y)+z forbids it), and exp and log are this package's own, because those of
// package math differ in their last bits between machines. Ties between equal logits go to the lower token id.
//
// # Masks
//
// A logit of -Inf is a token that must not be chosen (a grammar's mask). NaN and +Inf never come from a sound model:
// they are refused with a NonFiniteError, as is a vocabulary in which every token is masked.
package sample
