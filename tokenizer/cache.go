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

// get is what the word of hash h became, nil when it is not known.
func (c *cache) get(word string, h uint64) []int32 {
	slot := &c[h%cacheSlots]
	if int(slot.bytes) != len(word) || string(slot.word[:len(word)]) != word {
		return nil
	}
	return slot.ids[:slot.count]
}

func (c *cache) put(word string, h uint64, ids []int32) {
	if len(ids) == 0 || len(ids) > cacheMaxIDs {
		return
	}
	slot := &c[h%cacheSlots]
	slot.bytes, slot.count = uint8(copy(slot.word[:], word)), uint8(len(ids))
	copy(slot.ids[:], ids)
}
