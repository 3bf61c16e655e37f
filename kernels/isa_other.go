//go:build (!amd64 && !arm64) || purego || race

package kernels

// candidates is empty where there is no assembly: on other architectures, with the tag purego, and under the race
// detector, which does not see what assembly reads and writes.
func candidates() []candidate { return nil }
