# One command to run it: make run. One to test it: make test.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

export CGO_ENABLED := 0
GO_FLAGS := -trimpath -ldflags='-s -w'
WEB_SOURCES := $(shell find clients/js/src web/src web/tools web/fixtures web/*.json web/*.ts -type f 2>/dev/null)

.PHONY: help run build test check fmt lint unit postgres chromium web-test client-test e2e security faults bench shots clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## Build and start everything on one loopback port: nothing to configure
	@exec bin/portico dev

build: web/dist/documents/manifest.json ## Build bin/portico: one static file, the screens inside
	@go build $(GO_FLAGS) -o bin/portico ./cmd/portico

test: ## All that CI runs; installs and starts what it needs
	@$(MAKE) check unit
	@$(MAKE) --jobs=2 --output-sync postgres web-test client-test # each leaves a core idle
	@$(MAKE) e2e
	@echo "all tests passed"

check: fmt lint clients/js/node_modules/.package-lock.json ## Format, vet, lint, types, sizes
	@cd web && npm run --silent check
	@cd clients/js && npm run --silent check

fmt: web/node_modules/.package-lock.json
	@test -z "$$(gofmt -l client cmd internal bench security faults proxies web/*.go)" || { gofmt -l client cmd internal bench security faults proxies web/*.go; echo "run: gofmt -w client cmd internal bench security faults proxies"; exit 1; }

lint: build
	@go vet ./... && cd client && go vet ./...
	@check=$$(go tool -n -modfile=tools/staticcheck.mod staticcheck); $$check ./... && cd client && $$check ./...

unit: build ## Go: rooms, store contract, flows, doors with the race detector; security, faults
	@CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 tools/postgres run -- go test -race -timeout 10m $$(go list ./... | grep -v -e '/security$$' -e '/faults$$' -e '/proxies$$' -e '/bench$$')
	@tools/proxies
	@tools/postgres run -- go test -timeout 20m ./faults ./security ./proxies
	@cd client && CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race -timeout 5m ./... # a module of its own

postgres: build ## Go: application and security once more, on PostgreSQL; the benchmarks in short
	@PORTICO_TEST_DATABASE=postgres tools/postgres run -- go test -timeout 20m ./internal/app ./security
	@tools/postgres run -- go test -timeout 10m ./bench

chromium:
	@tools/chromium

web-test: web/dist/documents/manifest.json chromium ## Screens and controls in a real Chromium
	@cd web && npm test --silent

client-test: build clients/js/node_modules/.package-lock.json chromium ## Clients for apps in JavaScript: real binary, real Chromium
	@cd clients/js && npm test --silent

e2e: build e2e/node_modules/.package-lock.json chromium ## Journeys: real binary, browser, mail server and identity provider
	@cd e2e && npm test --silent
	@cd e2e && PORTICO_TEST_DATABASE=postgres ../tools/postgres run -- npm run --silent test:postgres

security: build ## The whole security suite (SEC-...), every sample and round
	@PORTICO_SECURITY=full go test -count=1 -timeout 30m -v ./security
	@PORTICO_SECURITY=full PORTICO_TEST_DATABASE=postgres tools/postgres run -- go test -count=1 -timeout 30m -v ./security

faults: build ## The fault tests (FLT-...) in full
	@PORTICO_FAULTS=full tools/postgres run -- go test -count=1 -timeout 120m -v ./faults

bench: build ## Speed, memory and growth against what the machine can do, into bench/RESULTS.md
	@tools/postgres run -- go run ./bench $(BENCH)

shots: build e2e/node_modules/.package-lock.json chromium ## Screenshots of every screen into e2e/results
	@cd e2e && npm run --silent shots

clean: ## Delete what was built
	@rm -rf bin web/node_modules e2e/node_modules clients/js/node_modules e2e/results
	@find web/dist -mindepth 1 ! -name .gitignore -delete

web/dist/documents/manifest.json: web/node_modules/.package-lock.json $(WEB_SOURCES)
	@echo "building the screens"
	@cd web && npm run --silent build

%/node_modules/.package-lock.json: %/package-lock.json
	@echo "installing the packages of $*"
	@cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
