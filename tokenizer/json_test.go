package tokenizer

import "testing"

func openJSON(tb testing.TB, name string) *Tokenizer { tb.Skip("x"); return nil }
