package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// formats is the table of ways to write records.
var formats = []struct {
	name  string
	write func(io.Writer, []Record) error
}{
	{"md", WriteMarkdown},
	{"csv", WriteCSV},
	{"json", WriteJSON[Record]},
	{"jsonl", WriteJSONLines[Record]},
	{"benchstat", WriteBenchstat},
}

// FormatNames lists the names that Write takes.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Write writes records in the format of a name.
func Write(w io.Writer, format string, records []Record) error {
	for _, f := range formats {
		if f.name == format {
			return f.write(w, records)
		}
	}
	return fmt.Errorf("bench: output format %q is unknown; there are %s", format, strings.Join(FormatNames(), ", "))
}

// column is one of the markdown table.
type column struct {
	name  string
	right bool
	cell  func(r *Record) string
	shown func(all []Record) bool // nil: always
}

// columns are llama-bench's; those that only repeat a default are left out. The median, which a disturbed run does not
// move, stands behind with the slowest and the fastest run.
var columns = []column{
	{"model", false, func(r *Record) string { return r.ModelType }, nil},
	{"size", true, func(r *Record) string { return mebibytes(r.ModelSize) }, nil},
	{"params", true, func(r *Record) string { return fmt.Sprintf("%.2f M", float64(r.ModelParams)/1e6) }, nil},
	{"backend", false, func(r *Record) string { return strings.TrimSpace(r.Backends + " " + r.ISA) }, nil},
	{"threads", true, func(r *Record) string { return strconv.Itoa(r.Threads) }, nil},
	{"n_batch", true, func(r *Record) string { return strconv.Itoa(r.Batch) },
		func(all []Record) bool {
			return slices.ContainsFunc(all, func(r Record) bool { return r.Batch != DefaultBatch })
		}},
	{"type_k", false, func(r *Record) string { return r.TypeK },
		func(all []Record) bool {
			return slices.ContainsFunc(all, func(r Record) bool { return r.TypeK != "f16" })
		}},
	{"test", true, func(r *Record) string { return r.Test().Name() }, nil},
	{"t/s", true, func(r *Record) string { return fmt.Sprintf("%.2f ± %.2f", r.AvgTS, r.StdDevTS) }, nil},
	{"median [min, max]", true, func(r *Record) string { return fmt.Sprintf("%.2f [%.2f, %.2f]", r.MedianTS, r.MinTS, r.MaxTS) }, nil},
}

func mebibytes(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
}

// WriteMarkdown writes llama-bench's table.
func WriteMarkdown(w io.Writer, records []Record) error {
	t := markdown{}
	var shown []column
	for _, c := range columns {
		if c.shown == nil || c.shown(records) {
			shown = append(shown, c)
			t.head(c.name, c.right)
		}
	}
	for i := range records {
		cells := make([]string, len(shown))
		for c := range shown {
			cells[c] = shown[c].cell(&records[i])
		}
		t.row(cells...)
	}
	return t.write(w)
}

// markdown is a table whose columns line up as plain text too.
type markdown struct {
	names []string
	right []bool
	rows  [][]string
}

func (t *markdown) head(name string, right bool) {
	t.names, t.right = append(t.names, name), append(t.right, right)
}

func (t *markdown) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *markdown) write(w io.Writer) error {
	widths := make([]int, len(t.names))
	for _, row := range append([][]string{t.names}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(cells []string) {
		for i, cell := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.right[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
	}
	line(t.names)
	for i, width := range widths {
		if t.right[i] {
			b.WriteString("| " + strings.Repeat("-", width) + ":")
		} else {
			b.WriteString("| " + strings.Repeat("-", width) + " ")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		line(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes one array.
func WriteJSON[T any](w io.Writer, records []T) error {
	if records == nil {
		records = []T{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(records)
}

// WriteJSONLines writes one object a line.
func WriteJSONLines[T any](w io.Writer, records []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range records {
		if err := enc.Encode(&records[i]); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes a line of names, those of the JSON, and a line for each record, without the samples.
func WriteCSV(w io.Writer, records []Record) error {
	out := csv.NewWriter(w)
	fields := reflect.VisibleFields(reflect.TypeFor[Record]())
	fields = slices.DeleteFunc(fields, func(f reflect.StructField) bool { return f.Type == reflect.TypeFor[Samples]() })
	row := make([]string, len(fields))
	for i, f := range fields {
		row[i] = f.Tag.Get("json")
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range records {
		for c, f := range fields {
			row[c] = plainValue(reflect.ValueOf(&records[i]).Elem().FieldByIndex(f.Index).Interface())
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func plainValue(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', 6, 64)
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}
