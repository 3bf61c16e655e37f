package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A logits file holds the windows of a text and what a reference model said after each prefix of them. All numbers are
// little-endian:
//
//	magic    8 bytes "nrtlogit"
//	version  uint32  1
//	vocab    uint32  logits in a row
//	windows  uint32  windows in the file
//	size     uint32  tokens in each window
//	first    uint32  the position of each window's first row
//	then for each window
//	  tokens size × int32
//	  rows   (size-1-first) × vocab × float32: row i is what follows tokens[:first+i+1]
//
// The last token of a window has no row, since nothing in the window follows it.
const (
	logitsMagic   = "nrtlogit"
	logitsVersion = 1
)

// Limits of a logits file, checked before anything is allocated by its counts.
const (
	maxVocab     = 1 << 20
	maxWindow    = 1 << 20
	maxPositions = 1 << 24 // in all windows: a divergence remembers 8 bytes for each
)

type logitsHeader struct {
	Vocab, Windows, Size, First uint32
}

// rows is how many rows a window has.
func (h logitsHeader) rows() int { return int(h.Size) - 1 - int(h.First) }

func (h logitsHeader) check() error {
	switch {
	case h.Vocab < 1 || h.Vocab > maxVocab:
		return fmt.Errorf("bench: logits file: a vocabulary of %d tokens, want 1 to %d", h.Vocab, maxVocab)
	case h.Size < 2 || h.Size > maxWindow:
		return fmt.Errorf("bench: logits file: windows of %d tokens, want 2 to %d", h.Size, maxWindow)
	case h.First > h.Size-2:
		return fmt.Errorf("bench: logits file: rows from position %d, want at most %d in windows of %d tokens", h.First, h.Size-2, h.Size)
	case h.Windows < 1 || uint64(h.Windows)*uint64(h.Size) > maxPositions:
		return fmt.Errorf("bench: logits file: %d windows of %d tokens, want 1 to %d tokens in all", h.Windows, h.Size, maxPositions)
	}
	return nil
}

// WriteLogits runs the windows, which must be of one length, and writes a logits file of every position from first on,
// so that Diverge can hold another model against this one. A row is 4 bytes for each token of the vocabulary.
func WriteLogits(ctx context.Context, s Scorer, windows [][]int32, first int, w io.Writer, progress Progress) error {
	if len(windows) == 0 || len(windows[0]) < 2 || first < 0 || first > len(windows[0])-2 {
		return fmt.Errorf("bench: no positions to write: %d windows, first position %d", len(windows), first)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	header := logitsHeader{Windows: uint32(len(windows)), Size: uint32(len(windows[0])), First: uint32(first)}
	var row []byte
	done, total := 0, count(windows)
	for i, window := range windows {
		if len(window) != len(windows[0]) {
			return fmt.Errorf("bench: window %d has %d tokens, want %d as the first", i, len(window), len(windows[0]))
		}
		err := score(ctx, s, window, first, func(pos int, logits []float32) error {
			if header.Vocab == 0 { // the first row tells
				header.Vocab = uint32(len(logits))
				if err := writeHeader(out, header); err != nil {
					return err
				}
			}
			if len(logits) != int(header.Vocab) {
				return fmt.Errorf("bench: the scorer gave %d logits, want %d as before", len(logits), header.Vocab)
			}
			if pos == first {
				row = appendTokens(row[:0], window)
				if _, err := out.Write(row); err != nil {
					return err
				}
			}
			progress.report(done+pos+1, total)
			row = appendRow(row[:0], logits)
			_, err := out.Write(row)
			return err
		})
		if err != nil {
			return err
		}
		done += len(window)
		progress.report(done, total)
	}
	return out.Flush()
}

func writeHeader(w io.Writer, h logitsHeader) error {
	if err := h.check(); err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32([]byte(logitsMagic), logitsVersion)
	for _, v := range []uint32{h.Vocab, h.Windows, h.Size, h.First} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	_, err := w.Write(b)
	return err
}

func appendTokens(b []byte, tokens []int32) []byte {
	for _, id := range tokens {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return b
}

func appendRow(b []byte, logits []float32) []byte {
	for _, v := range logits {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// logitsReader reads a logits file front to back; it holds one window's tokens and one row.
type logitsReader struct {
	logitsHeader
	in    *bufio.Reader
	bytes []byte
	row   []float32 // [Vocab]
}

func newLogitsReader(r io.Reader) (*logitsReader, error) {
	l := &logitsReader{in: bufio.NewReaderSize(r, 1<<20)}
	b, err := l.read(len(logitsMagic)+4*5, "the header")
	if err != nil {
		return nil, err
	}
	if magic := string(b[:len(logitsMagic)]); magic != logitsMagic {
		return nil, fmt.Errorf("bench: logits file: starts with %q, want %q", magic, logitsMagic)
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(b[len(logitsMagic)+4*i:]) }
	if v := field(0); v != logitsVersion {
		return nil, fmt.Errorf("bench: logits file: version %d, want %d", v, logitsVersion)
	}
	l.logitsHeader = logitsHeader{Vocab: field(1), Windows: field(2), Size: field(3), First: field(4)}
	if err := l.check(); err != nil {
		return nil, err
	}
	l.row = make([]float32, l.Vocab)
	return l, nil
}

// tokens reads the tokens of the next window.
func (l *logitsReader) tokens(window int) ([]int32, error) {
	b, err := l.read(4*int(l.Size), fmt.Sprintf("the tokens of window %d", window))
	if err != nil {
		return nil, err
	}
	tokens := make([]int32, l.Size)
	for i := range tokens {
		id := binary.LittleEndian.Uint32(b[4*i:])
		if id >= l.Vocab {
			return nil, fmt.Errorf("bench: logits file: window %d has token %d, want less than %d", window, id, l.Vocab)
		}
		tokens[i] = int32(id)
	}
	return tokens, nil
}

// next reads the next row, [Vocab], valid until the next call.
func (l *logitsReader) next(window, pos int) ([]float32, error) {
	b, err := l.read(4*int(l.Vocab), fmt.Sprintf("the row of window %d, position %d", window, pos))
	if err != nil {
		return nil, err
	}
	for i := range l.row {
		l.row[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return l.row, nil
}

// end makes sure that nothing follows the last row: a longer file was written by other rules than it is read by.
func (l *logitsReader) end() error {
	if _, err := l.in.ReadByte(); !errors.Is(err, io.EOF) {
		if err != nil {
			return fmt.Errorf("bench: logits file: after the last row: %w", err)
		}
		return fmt.Errorf("bench: logits file: goes on after %d windows of %d rows, want its end", l.Windows, l.rows())
	}
	return nil
}

func (l *logitsReader) read(n int, what string) ([]byte, error) {
	if cap(l.bytes) < n {
		l.bytes = make([]byte, n)
	}
	b := l.bytes[:n]
	if got, err := io.ReadFull(l.in, b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("bench: logits file: ends in %s after %d bytes, want %d", what, got, n)
		}
		return nil, fmt.Errorf("bench: logits file: reading %s: %w", what, err)
	}
	return b, nil
}
