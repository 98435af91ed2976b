# Hone: make targets. `make` alone lists them.
GO     ?= go
BIN    := bin
BUILD  := $(shell git describe --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X hone/internal/version.Build=$(BUILD)

.PHONY: help build demo test test-all lint pages bench-trace bench-kernels bench-ort bench-search bench-seeds bench-tuning bench-tvm soak fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build hone and hone-agent into bin/
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/hone ./cmd/hone
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/hone-agent ./cmd/hone-agent

demo: build ## tune the sample model on this machine and compare
	CGO_ENABLED=0 $(GO) run -trimpath ./bench/demo -bin $(BIN) # with the flags of build, whose packages it shares

test: ## quick tests: no network, no services
	$(GO) vet ./...
	$(GO) test -timeout 280s ./...

test-all: build ## everything: race detector, real services where configured, long tests
	HONE_TEST_ALL=1 $(GO) test -timeout 1500s ./...
	$(GO) test -race -timeout 900s ./scheduler/... ./rpcrunner/... ./db/...

lint: ## gofmt, go vet, the project's own lint, stale pages, and golangci-lint where installed
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) test ./internal/lint ./docs
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed: skipped"; fi

pages: ## write the generated pages anew (package graph, catalog)
	$(GO) test ./internal/lint ./docs -rewrite

bench-trace: ## replay a hand-written trace of a 512x512x512 matmul at speed
	$(GO) run ./bench/trace

bench-kernels: ## tune 26 kernels with 200 trials each, 1 and 2 threads, against other libraries
	$(GO) run ./bench/kernels

bench-search: ## convergence of the search and quality of its model, from stored measurements
	$(GO) run ./bench/search

bench-ort: build ## tuned models against ONNX Runtime, 1 and 2 threads
	$(GO) run ./bench/ort -bin $(BIN)

bench-seeds: build ## whole models tuned with two seeds, and untuned, in turns
	$(GO) run ./bench/seeds -bin $(BIN)

bench-tuning: build ## what a trial costs: wall time, building, searching, and a kernel against itself
	$(GO) run ./bench/tuning -bin $(BIN)

bench-tvm: ## six kernels tuned by Hone and by TVM's MetaSchedule, 200 trials each, one thread
	$(GO) run ./bench/tvm

soak: build ## every float32 through every function; kill processes during a long tune, again and again
	HONE_TEST_SOAK=1 $(GO) test -timeout 3600s ./compiler/codegen/...
	HONE_TEST_SOAK=1 $(GO) test -timeout 3600s -run Soak ./cmd/hone/...

fuzz: ## ten seconds of every fuzz target
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p 2>/dev/null | grep '^Fuzz'); do \
	  echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime 10s $$p || exit 1; done; done

clean: ## remove built files
	rm -rf $(BIN)
