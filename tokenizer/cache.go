package tokenizer

// Words recur, so what a word became is remembered in a table that forgets by overwriting. It belongs to one encoder,
// which one goroutine uses at a time.
const (
	cacheSlots    = 1 << 13
	cacheMaxBytes = 30
	cacheMaxIDs   = 8
)

// cacheSlot fills a cache line.
type cacheSlot struct {
	bytes, count uint8
	word         [cacheMaxBytes]byte
	ids          [cacheMaxIDs]int32
}

type cache [cacheSlots]cacheSlot

// slot is where a word of at most cacheMaxBytes bytes belongs.
func (c *cache) slot(word string) *cacheSlot { return &c[wordHash(word)%cacheSlots] }

// get is what the slot's word became, nil when it is not this word.
func (slot *cacheSlot) get(word string) []int32 {
	if int(slot.bytes) != len(word) || string(slot.word[:len(word)]) != word {
		return nil
	}
	return slot.ids[:slot.count]
}

// put remembers what the word became, if it fits.
func (slot *cacheSlot) put(word string, ids []int32) {
	if len(ids) == 0 || len(ids) > cacheMaxIDs {
		return
	}
	slot.bytes, slot.count = uint8(copy(slot.word[:], word)), uint8(len(ids))
	copy(slot.ids[:], ids)
}

// wordHash spreads words over the cache; a collision costs a second merging, no more.
func wordHash(s string) uint64 {
	const k = 0x9E3779B97F4A7C15
	n := len(s)
	h := uint64(n)
	switch {
	case n >= 8:
		for i := 0; i+8 < n; i += 8 {
			h = (h ^ load64(s[i:])) * k
			h ^= h >> 32
		}
		h ^= load64(s[n-8:])
	case n >= 4:
		h ^= uint64(load32(s)) | uint64(load32(s[n-4:]))<<32
	case n > 0:
		h ^= uint64(s[0])<<8 | uint64(s[n/2])<<16 | uint64(s[n-1])<<24
	}
	h *= k
	return h ^ h>>32
}

func load32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
