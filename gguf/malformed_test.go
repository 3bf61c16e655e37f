package gguf

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// malformed is every way in which a file is refused that we know of: its bytes, and what the error has to say.
// Where size is set, the file is that large and zero behind its bytes.
var malformed = []struct {
	name string
	file []byte
	size int64
	want []string
}{
	// not GGUF at all
	{"empty file", nil, 0, []string{"magic", "an empty file"}},
	{"three bytes", []byte("GGU"), 0, []string{"magic", `"GGU"`}},
	{"magic alone", []byte("GGUF"), 0, []string{"version", "ends 0 bytes later", "want 4 bytes"}},
	{"html", []byte("<!doctype html><html>not found</html>"), 0, []string{"HTML"}},
	{"html after blanks", []byte("\n\n <html>"), 0, []string{"HTML"}},
	{"json", []byte(`{"error":"Repository not found"}`), 0, []string{"JSON"}},
	{"json list", []byte(`[1,2,3]`), 0, []string{"JSON"}},
	{"git-lfs pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"), 0, []string{"git-LFS", "not downloaded"}},
	{"safetensors", cat(u64(16), []byte(`{"a":{"b":"F32"}}`), zeros(64)), 0, []string{"safetensors", "convert"}},
	{"gzip", []byte("\x1f\x8b\x08\x00rest"), 0, []string{"gzip"}},
	{"zip", []byte("PK\x03\x04rest"), 0, []string{"zip"}},
	{"zstd", []byte("\x28\xb5\x2f\xfdrest"), 0, []string{"zstd"}},
	{"pickle", []byte("\x80\x02}q\x00."), 0, []string{"pickle"}},
	{"hdf5", []byte("\x89HDF\r\n\x1a\n"), 0, []string{"HDF5"}},
	{"elf", []byte("\x7fELF\x02"), 0, []string{"ELF"}},
	{"old ggml", cat(u32(0x67676d6c), zeros(28)), 0, []string{"older than GGUF", "ggml"}},
	{"old ggmf", cat(u32(0x67676d66), zeros(28)), 0, []string{"older than GGUF", "ggmf"}},
	{"old ggjt", cat(u32(0x67676a74), zeros(28)), 0, []string{"older than GGUF", "ggjt"}},
	{"old ggla", cat(u32(0x67676c61), zeros(28)), 0, []string{"older than GGUF", "ggla"}},
	{"reversed magic", cat([]byte("FUGG"), zeros(28)), 0, []string{"byte-reversed"}},
	{"lower case magic", cat([]byte("gguf"), zeros(28)), 0, []string{"lower case"}},
	{"byte order mark", cat([]byte("\xef\xbb\xbfGGUF"), zeros(28)), 0, []string{"byte order mark"}},
	{"utf-16 magic", []byte("G\x00G\x00U\x00F\x00"), 0, []string{"UTF-16"}},
	{"zero page", zeros(4096), 0, []string{"zero bytes"}},
	{"noise", []byte("\x07\x1b[31m\x00noise"), 0, []string{`"\a\x1b[3"`}},

	// header
	{"version 0", headOf(0, 0, 0), 0, []string{"version", "at byte 4", "found 0", "2 or 3"}},
	{"version 1", headOf(1, 0, 0), 0, []string{"version", "GGUF v1", "2 or 3"}},
	{"version 4", headOf(4, 0, 0), 0, []string{"version", "found 4"}},
	{"version max", headOf(math.MaxUint32, 0, 0), 0, []string{"version", "4294967295"}},
	{"big-endian v1", headOf(1<<24, 0, 0), 0, []string{"big-endian GGUF v1"}},
	{"big-endian v2", headOf(2<<24, 0, 0), 0, []string{"big-endian GGUF v2"}},
	{"big-endian v3", headOf(3<<24, 0, 0), 0, []string{"big-endian GGUF v3"}},
	{"cut in version", []byte("GGUF\x03\x00"), 0, []string{"version", "ends 2 bytes later"}},
	{"cut in tensor count", cat([]byte("GGUF"), u32(3), zeros(7)), 0, []string{"tensor count", "ends 7 bytes later"}},
	{"cut in key count", cat([]byte("GGUF"), u32(3), zeros(15)), 0, []string{"key count", "ends 7 bytes later"}},
	{"tensors 2^64-1", head(math.MaxUint64, 0), 0, []string{"tensor count", "at byte 8", "18446744073709551615", "at most 65536"}},
	{"tensors 2^63", head(1<<63, 0), 0, []string{"tensor count", "9223372036854775808"}},
	{"tensors over the cap", head(maxTensors+1, 0), 1 << 30, []string{"tensor count", "65537", "at most 65536"}},
	{"tensors beyond the file", head(65_536, 0), 0, []string{"tensor count", "8 bytes of file left", "at most 0"}},
	{"tensors off by one", cat(head(2, 0), record("a", dims(1), 0, 0)), 0, []string{"tensor count", "at most 1"}},
	{"tensor count too small", padded(4, head(0, 0), record("a", dims(1), 0, 0)), 0, nil}, // trailing bytes are no error
	{"keys 2^64-1", head(0, math.MaxUint64), 0, []string{"key count", "at byte 16", "18446744073709551615"}},
	{"keys 2^32", head(0, 1<<32), 0, []string{"key count", "4294967296"}},
	{"keys over the cap", head(0, maxKeys+1), 1 << 30, []string{"key count", "65537", "at most 65536"}},
	{"keys beyond the file", head(0, 1000), 0, []string{"key count", "0 bytes of file left"}},
	{"keys off by one", cat(head(0, 2), kv("a", KindUint8, u8(1)), zeros(14)), 0, []string{"key", "empty name"}},

	// keys
	{"key length 2^64-1", cat(head(0, 1), u64(math.MaxUint64), zeros(32)), 0, []string{"key: name length", "at byte 24", "at most 65535"}},
	{"key length 2^63", cat(head(0, 1), u64(1<<63), zeros(32)), 0, []string{"key: name length", "at most 65535"}},
	{"key length over the cap", cat(head(0, 1), u64(maxKey+1), zeros(1<<17)), 0, []string{"key: name length", "65536"}},
	{"key length beyond the file", cat(head(0, 1), u64(100), zeros(50)), 0, []string{"key: name length", "50 bytes of file left"}},
	{"empty key", cat(head(0, 1), kv("", KindUint8, u8(1)), zeros(8)), 0, []string{"key", "empty name"}},
	{"key with NUL", key("a\x00b", KindUint8, u8(1)), 0, []string{`key "a\x00b"`, "control character 0x00"}},
	{"key with newline", key("a\nb", KindUint8, u8(1)), 0, []string{`key "a\nb"`, "control character 0x0a"}},
	{"key with escape", key("a\x1b[2J", KindUint8, u8(1)), 0, []string{`key "a\x1b[2J"`, "control character 0x1b"}},
	{"key with C1 control", key("a\u009b2J", KindUint8, u8(1)), 0, []string{"control character 0x9b"}},
	{"key of invalid UTF-8", key("a\xff", KindUint8, u8(1)), 0, []string{`key "a\xff"`, "invalid UTF-8"}},
	{"duplicate key", cat(head(0, 2), kv("a", KindUint8, u8(1)), kv("a", KindUint8, u8(1))), 0, []string{`key "a"`, "at byte 38", "twice"}},
	{"duplicate key, other kind", cat(head(0, 2), kv("a", KindUint8, u8(1)), kv("a", KindBool, u8(1))), 0, []string{`key "a"`, "twice"}},

	// values
	{"value kind 13", key("a", 13, u64(0)), 0, []string{`key "a": type`, "kind 13", "0 to 12"}},
	{"value kind max", key("a", math.MaxUint32, u64(0)), 0, []string{`key "a": type`, "kind 4294967295"}},
	{"value missing", cat(head(0, 1), str("ab"), u32(uint32(KindUint64))), 0, []string{`key "ab": value`, "ends 0 bytes later", "want 8 bytes"}},
	{"value cut", cat(head(0, 1), str("abc"), u32(uint32(KindFloat64)), zeros(7)), 0, []string{`key "abc": value`, "ends 7 bytes later"}},
	{"bool 2", key("a", KindBool, u8(2)), 0, []string{`key "a": value`, "bool byte 2", "0 or 1"}},
	{"bool 255", key("a", KindBool, u8(255)), 0, []string{"bool byte 255"}},
	{"string length 2^64-1", key("a", KindString, u64(math.MaxUint64)), 0, []string{`key "a": string length`, "at most 8388608"}},
	{"string length 2^63-1", key("a", KindString, u64(math.MaxInt64)), 0, []string{`key "a": string length`, "at most 8388608"}},
	{"string over the cap", key("a", KindString, u64(maxString+1)), 1 << 30, []string{`key "a": string length`, "8388609"}},
	{"string beyond the file", key("a", KindString, u64(10), zeros(9)), 0, []string{`key "a": string length`, "9 bytes of file left"}},
	{"long string beyond the file", key("a", KindString, u64(1<<20), zeros(9)), 0, []string{`key "a": string length`, "at most 9"}},
	{"string length cut", cat(head(0, 1), str("abcdef"), u32(uint32(KindString)), zeros(7)), 0, []string{"string length", "ends 7 bytes later"}},

	// arrays
	{"array element kind 13", key("a", KindArray, array(13, 1, u64(0))), 0, []string{`key "a": element type`, "kind 13"}},
	{"array length 2^64-1", key("a", KindArray, array(KindUint8, math.MaxUint64)), 0, []string{`key "a": array length`, "at most 4194304"}},
	{"array length wraps", key("a", KindArray, array(KindUint64, 1<<61+1, u64(0))), 0, []string{`key "a": array length`, "2305843009213693953"}},
	{"array length wraps 32 bits", key("a", KindArray, array(KindUint32, 1<<30+1, u64(0))), 0, []string{"array length", "1073741825"}},
	{"array over the cap", key("a", KindArray, array(KindUint8, maxElements+1)), 1 << 30, []string{"array length", "4194305"}},
	{"array of uint8 beyond the file", key("a", KindArray, array(KindUint8, 9, zeros(8))), 0, []string{"array length", "at most 8"}},
	{"array of int32 beyond the file", key("a", KindArray, array(KindInt32, 3, zeros(11))), 0, []string{"array length", "at most 2"}},
	{"array of float64 beyond the file", key("a", KindArray, array(KindFloat64, 1<<20, zeros(64))), 0, []string{"array length", "at most 8"}},
	{"array of strings beyond the file", key("a", KindArray, array(KindString, 3, str(""), str(""))), 0, []string{"array length", "at most 2"}},
	{"array of strings, one beyond the file", key("a", KindArray, array(KindString, 2, str("abc"), u64(9))), 0, []string{"string length", "0 bytes of file left"}},
	{"array of strings, one over the cap", key("a", KindArray, array(KindString, 2, str("abc"), u64(1<<40))), 0, []string{"string length", "1099511627776"}},
	{"array of bools, one 3", key("a", KindArray, array(KindBool, 3, u8(0, 1, 3))), 0, []string{`key "a": element`, "bool byte 3"}},
	{"array head cut", cat(head(0, 1), str("abc"), u32(uint32(KindArray)), u32(0), zeros(7)), 0, []string{"array length", "ends 7 bytes later"}},
	{"arrays 17 deep", key("a", KindArray, arrays(17)), 0, []string{`key "a": array`, "17 arrays in each other", "at most 16"}},
	{"arrays 20000 deep", key("a", KindArray, arrays(20_000)), 0, []string{"17 arrays in each other"}},
	{"arrays 2^62 wide", key("a", KindArray, array(KindArray, 1<<62)), 0, []string{"array length"}},
	{"arrays over their cap", key("a", KindArray, array(KindArray, maxArrays+1)), 1 << 20, []string{"more than 65536 arrays in arrays"}},
	{"arrays over their cap, over several keys", manyArrays(), 0, []string{`key "b": array`, "more than 65536 arrays in arrays"}},

	// alignment
	{"alignment 0", key(keyAlignment, KindUint32, u32(0)), 0, []string{"general.alignment", "found 0", "power of two"}},
	{"alignment 1", key(keyAlignment, KindUint32, u32(1)), 0, []string{"general.alignment", "found 1", "from 8"}},
	{"alignment 4", key(keyAlignment, KindUint32, u32(4)), 0, []string{"general.alignment", "found 4"}},
	{"alignment 24", key(keyAlignment, KindUint32, u32(24)), 0, []string{"general.alignment", "found 24", "power of two"}},
	{"alignment 33", key(keyAlignment, KindUint32, u32(33)), 0, []string{"general.alignment", "found 33"}},
	{"alignment 2^21", key(keyAlignment, KindUint32, u32(1<<21)), 0, []string{"general.alignment", "2097152", "to 1048576"}},
	{"alignment 2^31", key(keyAlignment, KindUint32, u32(1<<31)), 0, []string{"general.alignment", "2147483648"}},
	{"alignment 2^32-1", key(keyAlignment, KindUint32, u32(math.MaxUint32)), 0, []string{"general.alignment", "4294967295"}},
	{"alignment uint64", key(keyAlignment, KindUint64, u64(32)), 0, []string{"general.alignment", "uint64 32", "want uint32"}},
	{"alignment int32", key(keyAlignment, KindInt32, u32(32)), 0, []string{"general.alignment", "int32"}},
	{"alignment float32", key(keyAlignment, KindFloat32, u32(math.Float32bits(32))), 0, []string{"general.alignment", "float32"}},
	{"alignment string", key(keyAlignment, KindString, str("32")), 0, []string{"general.alignment", "string"}},
	{"alignment array", key(keyAlignment, KindArray, array(KindUint32, 1, u32(32))), 0, []string{"general.alignment", "[1]uint32"}},
	{"alignment bool", key(keyAlignment, KindBool, u8(1)), 0, []string{"general.alignment", "bool"}},

	// tensor names
	{"tensor name length 2^64-1", cat(head(1, 0), u64(math.MaxUint64), zeros(64)), 0, []string{"tensor: name length", "at byte 24", "at most 64"}},
	{"tensor name of 65 bytes", one(4, record(strings.Repeat("n", 65), dims(1), 0, 0)), 0, []string{"tensor: name length", "65", "at most 64"}},
	{"tensor name beyond the file", cat(head(1, 0), u64(60), zeros(30)), 0, []string{"tensor: name length", "30 bytes of file left"}},
	{"tensor name empty", one(4, record("", dims(1), 0, 0)), 0, []string{"tensor", "empty name"}},
	{"tensor name with NUL", one(4, record("a\x00", dims(1), 0, 0)), 0, []string{`tensor "a\x00"`, "control character 0x00"}},
	{"tensor name with escape", one(4, record("a\x1b[2J", dims(1), 0, 0)), 0, []string{"control character 0x1b"}},
	{"tensor name of invalid UTF-8", one(4, record("a\xc3", dims(1), 0, 0)), 0, []string{"invalid UTF-8"}},
	{"tensor name twice", padded(36, head(2, 0), record("a", dims(1), 0, 0), record("a", dims(1), 0, 32)), 0, []string{`tensor "a"`, "at byte 57", "twice"}},

	// tensor shapes
	{"no dimensions", one(4, cat(record("a", nil, 0, 0), zeros(8))), 0, []string{`tensor "a": dimensions`, "found 0", "1 to 4"}},
	{"five dimensions", one(4, record("a", dims(1, 1, 1, 1, 1), 0, 0)), 0, []string{"dimensions", "found 5", "1 to 4"}},
	{"2^32-1 dimensions", one(4, cat(str("a"), u32(math.MaxUint32), zeros(64))), 0, []string{"dimensions", "4294967295"}},
	{"dimension 0", one(4, record("a", dims(0), 0, 0)), 0, []string{"dimension 0", "found 0", "1 to"}},
	{"second dimension 0", one(4, record("a", dims(4, 0), 0, 0)), 0, []string{"dimension 1", "found 0"}},
	{"fourth dimension 0", one(4, record("a", dims(1, 1, 1, 0), 0, 0)), 0, []string{"dimension 3", "found 0"}},
	{"dimension 2^64-1", one(4, record("a", dims(math.MaxUint64), 0, 0)), 0, []string{"dimension 0", "18446744073709551615"}},
	{"dimension 2^63", one(4, record("a", dims(1<<63), 0, 0)), 0, []string{"dimension 0", "9223372036854775808"}},
	{"product wraps to 0", one(4, record("a", dims(1<<32, 1<<32), 0, 0)), 0, []string{`tensor "a": shape`, "more bytes than can be counted"}},
	{"product wraps to small", one(64, record("a", dims(1<<42+1, 1<<22), 0, 0)), 0, []string{"shape", "more bytes than can be counted"}},
	{"product wraps in four", one(4, record("a", dims(1<<16, 1<<16, 1<<16, 1<<16), 0, 0)), 0, []string{"shape", "more bytes than can be counted"}},
	{"bytes wrap", one(4, record("a", dims(1<<62), 0, 0)), 0, []string{"shape", "more bytes than can be counted"}},
	{"elements wrap, bytes do not", one(4, record("a", dims(1<<62, 2), uint32(35), 0)), 0, []string{`tensor "a"`}},
	{"elements of blocks wrap", one(18, record("a", dims(1<<62, 4), 2, 0)), 0, []string{"more bytes than can be counted"}},
	{"exabyte", one(4, record("a", dims(1<<58), 0, 0)), 0, []string{`tensor "a": weights`, "1152921504606846976 bytes", "inside the file"}},

	// tensor types
	{"type 4, removed", one(64, record("a", dims(32), 4, 0)), 0, []string{`tensor "a": type`, "4"}},
	{"type 5, removed", one(64, record("a", dims(32), 5, 0)), 0, []string{`tensor "a": type`, "5"}},
	{"type 36, removed", one(64, record("a", dims(32), 36, 0)), 0, []string{`tensor "a": type`, "36"}},
	{"type 1000", one(64, record("a", dims(32), 1000, 0)), 0, []string{`tensor "a": type`, "at byte 45", "1000"}},
	{"type 2^32-1", one(64, record("a", dims(32), math.MaxUint32, 0)), 0, []string{`tensor "a": type`, "4294967295"}},
	{"row of Q4_0 not of whole blocks", one(64, record("a", dims(33), 2, 0)), 0, []string{"shape", "[33] of Q4_0", "multiple of 32"}},
	{"row of Q8_0 smaller than a block", one(64, record("a", dims(1, 32), 8, 0)), 0, []string{"shape", "[1 32] of Q8_0", "multiple of 32"}},
	{"row of Q4_K not of whole blocks", one(256, record("a", dims(32, 8), 12, 0)), 0, []string{"[32 8] of Q4_K", "multiple of 256"}},

	// tensor places
	{"weights past the end", one(3, record("a", dims(1), 0, 0)), 0, []string{`tensor "a": weights`, "4 bytes at offset 0", "inside the file of 67 bytes"}},
	{"no weights", cat(head(1, 0), record("a", dims(1), 0, 0)), 0, []string{"weights", "inside the file of 57 bytes"}},
	{"offset past the end", one(4, record("a", dims(1), 0, 64)), 0, []string{"weights", "offset 64", "inside the file"}},
	{"offset 2^63", one(4, record("a", dims(1), 0, 1<<63)), 0, []string{`tensor "a": offset`, "9223372036854775808"}},
	{"offset 2^64-32", one(4, record("a", dims(1), 0, math.MaxUint64-31)), 0, []string{"offset", "18446744073709551584"}},
	{"offset 2^63-32", one(4, record("a", dims(1), 0, math.MaxInt64-31)), 0, []string{"weights", "inside the file"}},
	{"offset plus size wraps", one(4, record("a", dims(1<<60), 0, math.MaxInt64-31)), 0, []string{"weights", "inside the file"}},
	{"offset not aligned", one(36, record("a", dims(1), 0, 4)), 0, []string{"offset", "found 4", "multiple of the alignment 32"}},
	{"offset not aligned to 64", padded(96, head(1, 1), kv(keyAlignment, KindUint32, u32(64)), record("a", dims(1), 0, 32)), 0, []string{"offset", "found 32", "alignment 64"}},
	{"two tensors at one place", padded(64, head(2, 0), record("a", dims(1), 0, 0), record("b", dims(1), 0, 0)), 0, []string{`tensor "b"`, `overlap those of tensor "a"`}},
	{"second tensor inside the first", padded(64, head(2, 0), record("a", dims(9), 0, 0), record("b", dims(1), 0, 32)), 0, []string{`tensor "b"`, `overlap those of tensor "a"`}},
	{"first tensor inside the second", padded(64, head(2, 0), record("a", dims(1), 0, 32), record("b", dims(9), 0, 0)), 0, []string{`tensor "a"`, `overlap those of tensor "b"`}},

	// tensor records cut
	{"cut in dimensions", cat(head(1, 0), str("aaaaaaaaaaaaaaaaaaaaaaaa"), zeros(3)), 0, []string{"dimensions", "ends 3 bytes later"}},
	{"cut in a dimension", cat(head(1, 0), str("aaaaaaaaaaaa"), u32(2), zeros(9), zeros(6)), 0, []string{"dimension"}},
	{"cut in the type", cat(head(1, 0), str("aaaaaaaaaaaa"), u32(1), u64(1), zeros(3)), 0, []string{"type", "ends 3 bytes later"}},
	{"cut in the offset", cat(head(1, 0), str("aaaaaaaaaaaa"), u32(1), u64(1), u32(0), zeros(5)), 0, []string{"offset", "ends 5 bytes later"}},
}

// manyArrays has more arrays in arrays than the cap, spread over two keys.
func manyArrays() []byte {
	half := cat(array(KindArray, 40_000), []byte(strings.Repeat(string(array(KindUint8, 0)), 40_000)))
	return cat(head(0, 2), kv("a", KindArray, half), kv("b", KindArray, half))
}

// TestMalformed opens every malformed file from a disk, as users do.
func TestMalformed(t *testing.T) {
	if len(malformed) < 60 {
		t.Fatalf("%d kinds of malformed files, want at least 60", len(malformed))
	}
	names := map[string]bool{}
	for _, row := range malformed {
		if names[row.name] {
			t.Errorf("two rows are called %q", row.name)
		}
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.gguf")
			save(t, path, row.file, row.size)
			var f *File
			var err error
			if grown := allocated(func() { f, err = Open(path) }); grown > 64<<20 {
				t.Errorf("allocated %d bytes, want at most 64 MiB", grown)
			}
			if len(row.want) == 0 {
				if err != nil {
					t.Errorf("found error %v, want none", err)
				} else if err := f.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			checkError(t, err, path, row.want)
		})
	}
}

func checkError(t *testing.T, err error, path string, want []string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("found error %v (%T), want a *gguf.Error", err, err)
	}
	if e.Path != path {
		t.Errorf("error names path %q, want %q", e.Path, path)
	}
	text := err.Error()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("error %q does not say %q", text, w)
		}
	}
	checkText(t, text)
}

// checkText holds what is true of every error text.
func checkText(t *testing.T, text string) {
	t.Helper()
	if len(text) > maxErrorText {
		t.Errorf("error of %d bytes, want at most %d", len(text), maxErrorText)
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		t.Errorf("error %q holds a control character", text)
	}
}

// save writes a file; where size is larger than b, the rest is a hole.
func save(t *testing.T, path string, b []byte, size int64) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if size > 0 {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
}

// allocated is how many bytes f asked the heap for, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
