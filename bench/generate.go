package bench

//go:generate go -C ../asm run ./peak -out ../bench/peakloops_amd64.s -stubs ../bench/peakloops_amd64.go -pkg bench
