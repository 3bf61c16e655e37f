//go:build !amd64

package kernels

func machineISAs() []*isa { return nil }
