package kernels

// The assembly is written by the programs in asm, a module of its own.
//go:generate go -C ../asm run ./avx2 -out ../kernels/avx2_amd64.s -stubs ../kernels/avx2_amd64.go -pkg kernels
//go:generate go -C ../asm run ./avx512 -out ../kernels/avx512_amd64.s -stubs ../kernels/avx512_amd64.go -pkg kernels
//go:generate go -C ../asm run ./avxvnni -out ../kernels/avxvnni_amd64.s -stubs ../kernels/avxvnni_amd64.go -pkg kernels
//go:generate go -C ../asm run ./amx -out ../kernels/amx_amd64.s -stubs ../kernels/amx_amd64.go -pkg kernels
//go:generate go -C ../asm run ./neon -out ../kernels/neon_arm64.s -stubs ../kernels/neon_arm64.go -pkg kernels
