package tensor

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// FaultError says that bytes behind a mapping went away while they were read: the file shrank, or its disk failed.
type FaultError struct {
	Addr uintptr // where the read faulted
}

func (e *FaultError) Error() string {
	return fmt.Sprintf("tensor: memory fault at %#x while reading mapped weights: the model file was cut or its disk failed; reload the model", e.Addr)
}

// Guard runs f so that a read beyond the end of a shrunken mapping becomes a *FaultError instead of killing the
// process. The protection belongs to the calling goroutine: a goroutine that f starts needs a Guard of its own.
func Guard(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(interface{ Addr() uintptr })
			if _, isRuntime := r.(runtime.Error); !ok || !isRuntime {
				panic(r)
			}
			err = &FaultError{Addr: fault.Addr()}
		}
	}()
	return f()
}
