package gguf

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
)

const magic = "GGUF"

// lookalikes are the files that people hand to a GGUF reader, by their first bytes.
var lookalikes = []struct{ prefix, name string }{
	{"FUGG", "a byte-reversed GGUF magic (a big-endian or mangled file)"},
	{"lmgg", "a ggml file older than GGUF (ggml)"},
	{"fmgg", "a ggml file older than GGUF (ggmf)"},
	{"tjgg", "a ggml file older than GGUF (ggjt)"},
	{"algg", "a ggml adapter older than GGUF (ggla)"},
	{"ggml", "a ggml file older than GGUF (ggml, big-endian)"},
	{"ggmf", "a ggml file older than GGUF (ggmf, big-endian)"},
	{"ggjt", "a ggml file older than GGUF (ggjt, big-endian)"},
	{"ggla", "a ggml adapter older than GGUF (ggla, big-endian)"},
	{"PK\x03\x04", "a zip archive (perhaps a PyTorch checkpoint)"},
	{"\x1f\x8b", "a gzip file"},
	{"\x28\xb5\x2f\xfd", "a zstd file"},
	{"BZh", "a bzip2 file"},
	{"\xfd7zXZ", "an xz file"},
	{"version https://git-lfs", "a git-LFS pointer: the model itself was not downloaded"},
	{"\x89HDF", "an HDF5 file"},
	{"\x93NUMPY", "a NumPy array"},
	{"\x80\x02", "a Python pickle (perhaps a PyTorch checkpoint)"},
	{"\x7fELF", "an ELF program"},
	{"MZ", "a Windows program"},
	{"#!", "a script"},
	{"\xef\xbb\xbfGGUF", "a GGUF magic behind a byte order mark: the file was mangled as text"},
	{"G\x00G\x00U\x00F\x00", "a GGUF magic in UTF-16: the file was mangled as text"},
	{"\xff\xfeG\x00", "a GGUF magic in UTF-16: the file was mangled as text"},
}

// notGGUF says what a file without the magic is instead.
func notGGUF(src io.ReaderAt, size int64, path string) error {
	head := make([]byte, min(size, 512))
	if n, err := src.ReadAt(head, 0); n < len(head) {
		return &Error{Path: path, Field: "magic", Offset: 0, Err: err}
	}
	return &Error{Path: path, Field: "magic", Offset: 0, Found: looksLike(head, size), Want: `a GGUF file, which begins "GGUF"`}
}

func looksLike(head []byte, size int64) string {
	if size == 0 {
		return "an empty file"
	}
	for _, l := range lookalikes {
		if strings.HasPrefix(string(head), l.prefix) {
			return l.name
		}
	}
	if isSafetensors(head, size) {
		return "a safetensors file: convert it to GGUF first"
	}
	if bytes.Count(head, []byte{0}) == len(head) {
		return "zero bytes (an unfinished download?)"
	}
	if strings.EqualFold(string(head[:min(4, len(head))]), magic) {
		return "the magic in lower case"
	}
	switch text := bytes.TrimLeft(head, "\ufeff \t\r\n"); {
	case bytes.HasPrefix(text, []byte("<")):
		return "an HTML or XML page (a failed download?)"
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return "JSON text"
	}
	return quoted(string(head[:min(4, len(head))]))
}

// isSafetensors knows the format by its start: the length of a JSON object, and the object.
func isSafetensors(head []byte, size int64) bool {
	return len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) < uint64(size)
}
