package packed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"path/filepath"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/tensor"
)

// key names the state of a model that a packed file was made of.
type key [sha256.Size]byte

// String is short enough for a file's name: 128 bits of it.
func (k key) String() string { return hex.EncodeToString(k[:16]) }

// The key looks at that many bytes of so many weights: each costs a page fault, and a fault more than the sum.
const sample, samples = 256, 32

// sampled are the weights that the key looks at, spread over all.
func sampled(weights []*tensor.Tensor) []*tensor.Tensor {
	n := min(len(weights), samples)
	list := make([]*tensor.Tensor, n)
	for i := range list {
		list[i] = weights[i*len(weights)/n]
	}
	return list
}

// keyOf sums what tells one model's weights from another's without reading all of them. It does not look at the path: a
// model that is moved keeps its packed file.
func keyOf(source *gguf.File, weights []*tensor.Tensor) (k key, err error) {
	h := sha256.New()
	number(h, int64(kernels.PanelSum()))
	for _, info := range source.Infos() {
		number(h, info.Size())
		number(h, info.ModTime().UnixNano())
	}
	for _, w := range weights {
		h.Write([]byte(w.Name))
		number(h, int64(w.Type), int64(kernels.PackedBytes(w)))
		for _, n := range w.Shape {
			number(h, int64(n))
		}
	}
	err = tensor.Guard(func() error {
		for _, w := range sampled(weights) {
			h.Write(middle(w.Data))
		}
		return nil
	})
	h.Sum(k[:0])
	return k, err
}

func number(h hash.Hash, list ...int64) {
	var b [8]byte
	for _, n := range list {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
}

// middle is the sample of a weight.
func middle(data []byte) []byte {
	if len(data) <= sample {
		return data
	}
	return data[(len(data)-sample)/2:][:sample]
}

// sourcePath is how a packed file names its model.
func sourcePath(source *gguf.File) string {
	path, err := filepath.Abs(source.Path())
	if err != nil {
		return source.Path()
	}
	return path
}
