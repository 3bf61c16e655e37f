package engine

import (
	"reflect"
	"testing"

	"github.com/nrt-go/nrt/chat"
	"github.com/nrt-go/nrt/internal/testdata"
	"github.com/nrt-go/nrt/sample"
)

// TestSamplingFields sets every field of chat.Sampling and finds each in the parameters.
func TestSamplingFields(t *testing.T) {
	e, err := Open(testdata.Shared(t, "models/stories260K-q8_0.gguf"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := chat.Sampling{DryBreakers: []string{"."}, LogitBias: map[int32]float32{3: 1}, Samplers: []string{"top_k"}}
	v := reflect.ValueOf(&s).Elem()
	set := map[string]any{}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() != reflect.Pointer {
			continue
		}
		f.Set(reflect.New(f.Type().Elem()))
		switch f.Elem().Kind() {
		case reflect.Float64:
			f.Elem().SetFloat(0.25)
		case reflect.Int:
			f.Elem().SetInt(2)
		case reflect.Uint64:
			f.Elem().SetUint(7)
		}
		set[v.Type().Field(i).Name] = f.Elem().Interface()
	}
	one := 1.25 // below 1 the base would make penalties shrink
	s.DryBase, set["DryBase"] = &one, one
	p, err := e.samplingParams(&s)
	if err != nil {
		t.Fatal(err)
	}
	got := reflect.ValueOf(p)
	for name, want := range set {
		if f := got.FieldByName(name); !f.IsValid() || f.Interface() != want {
			t.Errorf("%s: got %v, want %v", name, f, want)
		}
	}
	if len(p.DrySequenceBreakers) == 0 || p.LogitBias[3] != 1 || len(p.Samplers) != 1 {
		t.Errorf("breakers %v, bias %v, samplers %v", p.DrySequenceBreakers, p.LogitBias, p.Samplers)
	}
}

func TestSamplingDefaults(t *testing.T) {
	e := open(t, "stories260K-q8_0.gguf", Config{})
	p, err := e.samplingParams(&chat.Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	want := sample.Default()
	want.Seed = p.Seed
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v, want %+v", p, want)
	}
	if q, _ := e.samplingParams(&chat.Sampling{}); q.Seed == p.Seed {
		t.Errorf("two requests drew the same seed %d", p.Seed)
	}
}
