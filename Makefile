# make chat: build nrt, get a small chat model when the store has none, and talk with it.
# make test: the tests.
# make help: everything else.

GO      ?= go
BIN     := bin/nrt
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X main.version=$(VERSION)
MODEL   ?= smollm2

export CGO_ENABLED ?= 0

.PHONY: chat test build help lint fmt generate fuzz race isas arm64 cross size clean

chat: build ## build nrt, get $(MODEL) when the store has no model, open the chat
	@model=$$($(BIN) pull $(MODEL)) && exec $(BIN) chat -m "$$model"

test: ## run the tests; those that need a real model get it first where it can be had
	@NRT_SMOLLM2=$${NRT_SMOLLM2:-$$($(GO) run ./cmd/nrt pull smollm2 || true)} $(GO) test ./...

build: ## build bin/nrt, one static binary
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/nrt

help: ## this list
	@grep -hE '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 10

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fmt: ## format the code
	gofmt -w .

generate: ## write the assembly again
	$(GO) generate ./kernels ./bench
	cd asm && $(GO) vet ./... && $(GO) test ./...

fuzz: ## run every fuzz target, FUZZTIME (default 60s) each where files from strangers are read
	./.ci/fuzz $(FUZZTIME)

race: ## run the tests under the race detector
	CGO_ENABLED=1 $(GO) test -race -short ./...

# -count=1: the choice is made before the test runner watches the environment, so it would take another one's result.
isas: ## run the tests of the arithmetic on every instruction set that this machine has
	@for isa in $$($(GO) run ./cmd/nrt version --cpu | awk 'NR>2 && $$2!="no:" {print $$1}'); do \
		echo "NRT_ISA=$$isa"; NRT_ISA=$$isa $(GO) test -count=1 ./kernels ./kv ./models ./engine || exit 1; done

arm64: ## run the tests on an emulated arm64 (needs qemu-user-static); cmd/nrt's start their own binary, which it cannot
	NRT_EMULATED=1 GOARCH=arm64 $(GO) test -short -exec qemu-aarch64-static $$($(GO) list ./... | grep -v /cmd/nrt$$)
	@for cpu in cortex-a76 cortex-a72; do echo "QEMU_CPU=$$cpu"; \
		QEMU_CPU=$$cpu NRT_EMULATED=1 GOARCH=arm64 $(GO) test -count=1 -short -exec qemu-aarch64-static ./kernels || exit 1; done

cross: ## build for every platform
	./.ci/cross

size: build ## binary size and cold start
	@ls -l $(BIN) | awk '{printf "binary size: %.1f MB\n", $$5/1e6}'
	@s=$$(date +%s%N); $(BIN) version >/dev/null; e=$$(date +%s%N); echo "cold start: $$(( (e-s)/1000000 )) ms"

clean: ## remove what was built
	rm -rf bin dist
