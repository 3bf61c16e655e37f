package kernels

import (
	"os"
	"path/filepath"
	"runtime"
)

// Cores is the number of physical cores that this process may use. Hyperthreads share the units that kernels keep
// busy, so counting them would only add contention. Where the machine does not tell, every processor is a core.
func Cores() int {
	allowed := runtime.GOMAXPROCS(0)
	lists, err := filepath.Glob("/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list")
	if err != nil || len(lists) == 0 {
		return allowed
	}
	cores := map[string]bool{}
	for _, path := range lists {
		siblings, err := os.ReadFile(path)
		if err != nil {
			return allowed
		}
		cores[string(siblings)] = true
	}
	return min(allowed, len(cores))
}
