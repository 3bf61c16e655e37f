package models

// llama is Llama 1 to 3, TinyLlama, SmolLM, Mistral and everything else converted in their form.
var llama = &arch{name: "llama", optionalBias: true}
