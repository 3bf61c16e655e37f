package models

// qwen2 is Qwen 1.5, 2 and 2.5.
var qwen2 = &arch{name: "qwen2", neox: true, qkvBias: true}
