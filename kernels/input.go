package kernels

import "github.com/nrt-go/nrt/tensor"

// needs says in which form a row kernel reads its activations.
type needs int

const (
	needsF32       needs = iota
	needs32              // int8 with a scale for every 32
	needs256             // int8 with a scale for every 256
	needsRecord32        // records of 32, see records.go
	needsRecord256       // records of 256
)

// Input is the right-hand side of matrix products: the activations of a batch, quantised at most once however many
// weights they meet, together with the room each worker unpacks weights in. It is for one goroutine at a time.
type Input struct {
	x    tensor.Matrix // [n][cols]
	form Activations

	have           [needsRecord256 + 1]bool
	q32, q256      []int8    // [n][cols]
	scale32, sum32 []float32 // [n][cols/32]
	scale256       []float32 // [n][cols/256]
	sums256        []int16   // [n][cols/16]
	records32      []byte    // by columnGroup rows: [cols/32][group][record32]
	records256     []byte    // [cols/256][group][record256]

	rooms []room // one per worker

	// The products under way.
	products []product
	unit     int // panels of each that are handed out at once, at least
	then     func(worker, start, end int)

	// Method values made once: making one per product would allocate.
	quantise [needsRecord256 + 1]func(worker, start, end int)
	multiply func(worker, start, end int)
}

// NewInput makes room for inputs of at most rows x cols in that form and for products by that many workers.
func NewInput(rows, cols, workers int, form Activations) *Input {
	in := &Input{form: form, rooms: make([]room, workers)}
	in.multiply = in.multiplyPieces
	for i := range in.rooms {
		in.rooms[i].f32 = make([]float32, floatGroup*cols)
	}
	if form == Int8 {
		in.makeInt8(rows, cols)
	}
	return in
}

// makeInt8 makes what only integer kernels need.
func (in *Input) makeInt8(rows, cols int) {
	n := rows * cols
	in.q32, in.scale32, in.sum32 = make([]int8, n), make([]float32, n/32), make([]float32, n/32)
	in.q256, in.scale256, in.sums256 = make([]int8, n), make([]float32, n/256), make([]int16, n/16)
	in.records32, in.records256 = make([]byte, rows*(cols/32)*record32), make([]byte, rows*(cols/256)*record256)
	for i := range in.rooms {
		in.rooms[i].makeStrips(cols)
	}
	in.quantise[needs32], in.quantise[needs256] = in.quantiseRows32, in.quantiseRows256
	in.quantise[needsRecord32], in.quantise[needsRecord256] = in.writeRecords32, in.writeRecords256
}

// InputBytes is the memory that NewInput takes.
func InputBytes(rows, cols, workers int, form Activations) int64 {
	decoded := int64(workers) * int64(4*floatGroup*cols)
	if form == Float32 {
		return decoded
	}
	row := 2*cols + 4*(cols/32*2+cols/256) + 2*(cols/16) + cols/32*record32 + cols/256*record256
	return decoded + int64(rows)*int64(row) + int64(workers)*int64(stripBytes(cols))
}

// Set makes x [n][cols] the input of the products that follow; x must not change until the last of them.
func (in *Input) Set(x tensor.Matrix) {
	in.x = x
	clear(in.have[:])
}

// prepare brings the activations into the form that a row kernel reads.
func (in *Input) prepare(pool *Pool, form needs) error {
	if form == needsF32 || in.have[form] {
		return nil
	}
	in.have[form] = true
	return pool.Rows(in.x.Rows, in.x.Cols, in.quantise[form])
}

func (in *Input) quantiseRows32(_, start, end int) {
	for i := start; i < end; i++ {
		r := in.row32(i)
		active.quant32(r.q, r.scale, r.sum, in.x.Row(i))
	}
}

func (in *Input) quantiseRows256(_, start, end int) {
	for i := start; i < end; i++ {
		r := in.row256(i)
		active.quant256(r.q, r.scale, r.sums, in.x.Row(i))
	}
}

// act32 is one row of activations in blocks of 32, act256 one in blocks of 256.
type act32 struct {
	q          []int8    // [cols]
	scale, sum []float32 // [cols/32]
}

type act256 struct {
	q     []int8    // [cols]
	scale []float32 // [cols/256]
	sums  []int16   // [cols/16]
}

func (in *Input) row32(i int) act32 {
	c := in.x.Cols
	b := c / 32
	return act32{q: in.q32[i*c : i*c+c], scale: in.scale32[i*b : i*b+b], sum: in.sum32[i*b : i*b+b]}
}

func (in *Input) row256(i int) act256 {
	c := in.x.Cols
	b := c / 256
	return act256{q: in.q256[i*c : i*c+c], scale: in.scale256[i*b : i*b+b], sums: in.sums256[i*16*b : i*16*b+16*b]}
}
