package models

// qwen3 is the dense Qwen 3.
var qwen3 = &arch{name: "qwen3", neox: true, headNorm: true}
