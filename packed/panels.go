package packed

import (
	"context"
	"errors"

	"github.com/nrt-go/nrt/gguf"
	"github.com/nrt-go/nrt/kernels"
	"github.com/nrt-go/nrt/models"
	"github.com/nrt-go/nrt/tensor"
)

// Panels is a model's weights in the order of the kernels: mapped from a cache, or packed in memory.
type Panels struct {
	cache  *Cache
	source *gguf.File
	model  *models.Model
	file   *File
	arena  kernels.Arena
	plain  []*tensor.Tensor // the weights in their file's order
	reason error            // why the cache's file is not in use
}

// Prepare replaces the model's weights by panels: those that the cache has, or else new ones that pool makes in memory. A
// cache that is nil has none. Close gives them back.
func Prepare(cache *Cache, pool *kernels.Pool, source *gguf.File, model *models.Model) (*Panels, error) {
	p := &Panels{cache: cache, source: source, model: model, plain: model.Weights()}
	if cache == nil {
		p.reason = ErrNone
	} else {
		p.file, p.reason = cache.Open(source, p.plain)
	}
	if p.file == nil {
		if err := model.Pack(pool, &p.arena, source.Rest); err != nil {
			return nil, errors.Join(err, p.arena.Free())
		}
		return p, nil
	}
	model.SetWeights(p.file.Tensors())
	for _, w := range sampled(p.plain) {
		source.Rest(w)
	}
	return p, nil
}

// Path is the packed file in use, "" where there is none; the error says what is wrong with the one that there is.
func (p *Panels) Path() (string, error) {
	if p.file != nil {
		return p.file.Path(), nil
	}
	if errors.Is(p.reason, ErrNone) {
		return "", nil
	}
	return "", p.reason
}

// Worth tells whether Save has something to do: there is a cache without these panels, packing them again would take
// longer than a moment, and no writer of them was stopped lately.
func (p *Panels) Worth() bool {
	if p.cache == nil || p.file != nil {
		return false
	}
	bytes := 0
	for _, w := range p.plain {
		bytes += kernels.PackedBytes(w)
	}
	k, err := keyOf(p.source, p.plain)
	return err == nil && bytes >= leastBytes && !p.cache.tooSlow(k)
}

// Save writes the panels to the cache and returns the file's path. The model may be used meanwhile.
func (p *Panels) Save(ctx context.Context) (string, error) {
	return p.cache.Write(ctx, p.source, p.plain, p.model.Weights())
}

// Close gives the weights back; the model cannot be used any more.
func (p *Panels) Close() error {
	var err error
	if p.file != nil {
		err = p.file.Close()
	}
	return errors.Join(err, p.arena.Free())
}
