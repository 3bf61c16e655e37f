package kernels

import "testing"

// BenchmarkPack packs a matrix of each format again and again into the same memory.
func BenchmarkPack(b *testing.B) {
	for i := range layouts {
		l := &layouts[i]
		b.Run(l.format.Name, func(b *testing.B) {
			w := randomWeight(b, l.format.Type, 16*PanelRows, 2048)
			dst := make([]byte, w.Cols()/l.format.Block*l.bytes())
			b.SetBytes(int64(len(w.Data)))
			for b.Loop() {
				for r := 0; r < w.Rows(); r += PanelRows {
					l.packPanel(dst, w, r)
				}
			}
		})
	}
}
