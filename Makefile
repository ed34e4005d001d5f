SHELL := /bin/bash

.PHONY: help build install dist wheels beam import flink check test docs race lint fuzz same torture bench benchcmp ci

help: ## show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

build: ## build ./resolwe; GOAMD64=v3 suits every Xeon since 2013
	GOAMD64=v3 go build -o resolwe ./cmd/resolwe

install: ## put resolwe on the path of Go's programs
	CGO_ENABLED=0 go install -trimpath ./cmd/resolwe

dist: ## build static programs for other machines into dist/, with SHA256SUMS
	rm -rf dist && mkdir dist
	for p in linux/amd64/v1 linux/amd64/v3 linux/arm64 darwin/amd64/v1 darwin/arm64 windows/amd64/v1; do \
		IFS=/ read -r os arch level <<< "$$p"; \
		name=resolwe-$$os-$$arch; [ "$$level" != v3 ] || name=$$name-v3; [ $$os != windows ] || name=$$name.exe; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch GOAMD64=$${level:-v1} go build -trimpath -ldflags '-s -w' -o dist/$$name ./cmd/resolwe || exit 1; \
	done
	cp LICENSE LICENSES dist/
	cd dist && sha256sum * > SHA256SUMS

wheels: ## build the Python package's wheels for all platforms into python/dist, twice, and check them
	.ci/python all

beam: ## build ./resolwe-beam, which runs on Apache Beam (docs/scale.md)
	cd cmd/resolwe-beam && CGO_ENABLED=0 GOAMD64=v3 go build -o ../../resolwe-beam .

import: ## build ./resolwe-import, which copies databases into tables (docs/import.md)
	cd cmd/resolwe-import && CGO_ENABLED=0 go build -o ../../resolwe-import .

flink: ## run resolwe-beam on a Flink cluster of processes, break it, and print what came of it; needs Java and Maven
	cd cmd/resolwe-beam && go test ./flink -flink -v -count 1 -timeout 1h

check: ## build, lint and run the short tests of what is not the command line: what one waits for
	go build ./... && golangci-lint run ./... && go test -short $$(go list ./... | grep -v /cmd/)

test: ## run the tests, those of cmd/resolwe-beam and cmd/resolwe-import too
	go test ./...
	cd cmd/resolwe-beam && go test ./...
	cd cmd/resolwe-import && go test ./...

docs: ## run the commands of the pages, on full data, and write what the pages show of it, and docs/report.png; CHECK=1 only compares
	DOCS=whole UPDATE=$(if $(CHECK),,1) go test -count 1 -timeout 3h -run '^TestDocs' ./cmd/resolwe

race: ## run the tests that start goroutines under the race detector
	.ci/race

lint: ## run the linter
	golangci-lint run ./...

fuzz: ## fuzz each target for FUZZTIME (1m)
	.ci/fuzz $(or $(FUZZTIME),1m)

same: ## run every command and compare all that it writes with .ci/same.sums; .ci/same --pin writes these anew
	.ci/same

torture: ## damage, forge, kill, fill and change files of every kind for TORTURE (8m), and see what commands make of it
	TORTURE=$(or $(TORTURE),8m) go test -run TestTorture -v -timeout 1h ./cmd/resolwe

bench: ## run benchmarks BENCH (.) COUNT (6) times, into bench/results
	@mkdir -p bench/results
	go test -run '^$$' -bench '$(or $(BENCH),.)' -benchmem -count $(or $(COUNT),6) ./... | tee bench/results/$$(date +%Y%m%d-%H%M%S)-$$(git rev-parse --short HEAD).txt

benchcmp: ## compare two results: OLD=.. NEW=..
	go run golang.org/x/perf/cmd/benchstat@latest $(OLD) $(NEW)

ci: ## run what a change has to pass
	.ci/run
