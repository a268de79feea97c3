# One command to run it: make run. One to test it: make test.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

export CGO_ENABLED := 0
# Build, vet, lint, tests and releases have the same flag, so that they compile each package once.
export GOFLAGS := $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath
# The Go tools compile in an eighth less processor time when they collect garbage less often; with it the
# largest package needs 1.8 GiB. The stage unit has it, too (a sixth less for flow);
# suites that measure the product do not.
GC := GOGC=400
# The commit, and when it was made. The Go command finds neither in a worktree of git.
REVISION = $$(git rev-parse HEAD 2>/dev/null || echo unknown)
DATE = $$(TZ=UTC0 git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || echo unknown)
WEB_SOURCES := $(shell find clients/js/src web/src web/tools web/fixtures web/*.json web/*.ts -type f 2>/dev/null)
# What decides how bin/portico behaves. The file itself has the commit, too. A folder is newer after a file of it is deleted.
PRODUCT := $(WEB_SOURCES) go.mod go.sum $(shell find cmd internal web/*.go ! -name '*_test.go' ! -path '*/testdata*')

.PHONY: help run build libraries test ci rest check fmt formatted lint types size staticcheck unit race postgres acme apps conformance proxies chromium web-test states client-test journeys e2e engines security-short faults-short fuzz security faults bench fixture image release release-test shots images clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## Build and start everything on one loopback port: nothing to configure
	@exec bin/portico dev

# The Go command gives its output a new time when nothing changed. bin/portico keeps its time, so that
# tests of it need not run again.
build: ## Build bin/portico: one static file, the screens inside
	@$(MAKE) -s -j2 $(if $(wildcard bin/portico),,libraries) web/dist/documents/manifest.json
	@version="$$(tools/version)" && $(GC) go build -o bin/.portico -ldflags="-s -w -X portico/internal/cli.version=$$version \
		-X portico/internal/cli.revision=$(REVISION) -X portico/internal/cli.date=$(DATE)" ./cmd/portico
	@cmp -s bin/.portico bin/portico || cp --remove-destination bin/.portico bin/portico

# The first build compiles the modules of others while npm installs its packages.
libraries:
	@$(GC) go build $$(go list -deps ./cmd/portico | grep '\.')

# The stages of each command. A stage that fails does not stop the others: tools/stages
# prints the time and the result of each. Stages with a comma between them run at the same
# time, since each waits a lot. Those with a plus run one after the other beside them.
test: ## What to run before a push: on SQLite, with the main journeys
	@tools/stages build! check+unit,web-test+journeys,security-short

# The stage unit leaves out what the stage race runs in the same way.
ci: export RACED := yes
ci: ## What CI runs: make test, then all the rest
	@tools/stages test rest

# Three lanes fill two cores, and need about the same time. With four, a machine that is slow has a load of 30, on which
# measuring tests fail. The longest stage of each comes first.
rest: ## Race detector, PostgreSQL, faults, proxies, clients, certificates, release, all states and journeys
	@tools/stages build! e2e+faults-short+client-test+proxies+fuzz,race+states+staticcheck,postgres+release-test+apps+acme

check: build ## Format, vet, lint, types, sizes, plain English
	@$(MAKE) -j4 -k --output-sync formatted lint types size

size: build # the limit is that of make bench (mostBinary)
	@[ $$(stat -c %s bin/portico) -le 52000000 ] || { ls -l bin/portico; echo "bin/portico has more than 52 MB: look at new libraries and web/dist"; exit 1; }

types: web/node_modules/.package-lock.json clients/js/node_modules/.package-lock.json test/e2e/node_modules/.package-lock.json
	@cd web && npm run --silent check
	@cd clients/js && npm run --silent check
	@cd test/e2e && npm run --silent check

GO_SOURCES := clients/go cmd internal test tools web/*.go
fmt: ## Format Go
	@gofmt -l -w $(GO_SOURCES)

formatted:
	@test -z "$$(gofmt -l $(GO_SOURCES))" || { gofmt -l $(GO_SOURCES); echo "run: make fmt"; exit 1; }

lint: web/dist/documents/manifest.json
	@$(GC) go vet ./... && cd clients/go && go vet ./...
	@go test -vet=off ./internal/archtest

# Without a cache, it needs two minutes of processor time for the modules of others alone.
staticcheck: build ## The finer lint of Go
	@check=$$(go tool -n -modfile=tools/staticcheck.mod staticcheck); $$check ./... && cd clients/go && $$check ./...

# All packages but the suites of test/, which have their own stages, and archtest.
# The stage check runs archtest and all of go vet, so the tests leave them out.
PACKAGES = $(shell go list ./... | grep -vE '/(test|archtest)(/|$$)')
RACE := CGO_ENABLED=1 GORACE=atexit_sleep_ms=0
# Two goroutines can meet in these packages: they or their tests start one, listen, or guard data. The stage unit runs all.
# In people, one test alone starts a goroutine, to end after a minute.
CONCURRENT = $(shell for p in $(filter-out %/people,$(PACKAGES)); do grep -qE '"sync|^\s*go |\bchan\b|AfterFunc|"net"|httptest' .$${p#portico}/*.go && echo "$$p"; done)
# Libraries that only compute have no data race of their own, and the detector makes them eight times as slow: SQLite, which
# is C translated to Go, Brotli, and the hashes of passwords. Without it there, the packages that compress screens take half.
BARE := $(foreach library,github.com/ncruces/go-sqlite3-wasm/v5 github.com/andybalholm/brotli/... golang.org/x/crypto/... github.com/go-crypt/x/...,-gcflags=$(library)=-race=false)

# The scripts of internal/cli run hundreds of processes, which the detector makes slow, and so do imports that are killed.
# The tests of password strength and of the texts of emails judge thousands of texts, one after the other, and so do those of
# settings with a hidden character and of the gallery of screens. TestTiming compares times.
UNRACED := TestScripts\b|TestUserImport_|TestImport_Killed\b|TestStrength_|TestTiming\b|TestRender_|TestServe_RefusesEachSetting\b|TestRun_Gallery\b|TestImportJob_TooManyLines\b
# Packages whose tests do the same in both stages: none chooses a database, has a form for the detector, or is UNRACED.
ALIKE = $(shell for p in $(CONCURRENT); do grep -qE 'pgtest|^//go:build|^func ($(UNRACED))' .$${p#portico}/*_test.go 2>/dev/null || echo "$$p"; done)

unit: build ## Go: all packages but the suites of test/, on SQLite
	@$(GC) tools/memory go test -vet=off -timeout 60m $(if $(RACED),$(filter-out $(ALIKE),$(PACKAGES)),$(PACKAGES))

# internal/app runs on PostgreSQL here and on SQLite in the stage unit.
race: build ## The same with the race detector, on PostgreSQL, and the Go client
	@$(RACE) PORTICO_TEST_DATABASE=postgres tools/postgres run -- tools/memory go test -vet=off -race $(BARE) -skip '^($(UNRACED))' -timeout 60m $(CONCURRENT)
	@cd clients/go && $(RACE) go test -vet=off -race -timeout 5m ./... # a separate module

# The other scripts need no server and run in the stage unit, and the other tests of commands run in the stage race.
# The parts of TestUserImport_Killed and TestImport_Killed that need one have the name of a script, postgres.
SERVED := ^\[!postgres\]
postgres: build ## Go: commands, upgrades and the security suite on PostgreSQL; the benchmarks in short
	@tools/postgres run -- tools/memory go test -vet=off -timeout 30m -run "^(TestScripts|TestUserImport_.*|TestImport_Killed)$$/^($$(grep -l '$(SERVED)' internal/cli/testdata/*.txt | xargs -n 1 basename -s .txt | paste -sd '|'))$$" ./internal/cli
	@tools/postgres run -- tools/memory go test -vet=off -timeout 30m ./test/upgrade
	@PORTICO_TEST_DATABASE=postgres tools/postgres run -- tools/memory go test -vet=off -parallel 4 -timeout 60m ./test/security
	@tools/postgres run -- go test -vet=off -timeout 30m ./test/bench

acme: build ## Certificates from a real ACME authority (Pebble)
	@cd test/acme && go vet . && go test -count=1 -timeout 45m .

apps: build test/apps/node/node_modules/.package-lock.json test/apps/frameworks/node_modules/.package-lock.json ## Apps that others wrote sign in with OpenID Connect
	@tools/apps
	@cd test/apps && go vet . && go test -count=1 -timeout 45m .

conformance: build test/apps/node/node_modules/.package-lock.json test/apps/frameworks/node_modules/.package-lock.json ## The same, with frameworks and programs that take minutes to build: oauth2-proxy, Miniflux, Dex, Kubernetes
	@tools/apps && tools/proxies
	@cd test/apps && PORTICO_TESTS=full ../../tools/postgres run -- go test -count=1 -timeout 30m -v .

proxies: build ## The configurations of docs/integrating in nginx, Caddy, HAProxy and Apache
	@tools/proxies
	@tools/postgres run -- go test -vet=off -count=1 -timeout 60m ./test/proxies

chromium:
	@tools/chromium

# As with the tests of the Go command, a stage that passed does not run again until a source changes. The file
# is the proof that the stage passed.
unless_unchanged = if $(MAKE) -q $(1) 2>/dev/null; then echo "nothing changed since it passed"; echo unchanged >"$${STAGE_RESULT:-/dev/null}"; else $(MAKE) $(1); fi

web-test: chromium ## Screens and controls in a real Chromium; runs again only after a change in web/
	@$(call unless_unchanged,web/node_modules/.tested)

# The tests open the gallery of `portico dev`: what fills a document is tested too, and other Go files are not.
SCREENS := web/dist/documents/manifest.json $(WEB_SOURCES) $(shell find web/tests internal/dev internal/brand internal/locale internal/server/screens -type f)
web/node_modules/.tested: $(SCREENS)
	@cd web && npm test --silent
	@touch $@

states: build chromium ## The states, languages and buttons that web-test leaves out: it takes one of each screen, two, and three
	@$(call unless_unchanged,web/node_modules/.states-tested)

web/node_modules/.states-tested: $(SCREENS)
	@cd web && PORTICO_TESTS=full npm test --silent -- tests/look.test.ts tests/touch.test.ts tests/locales.test.ts tests/contrast.test.ts
	@touch $@

# The tests make sign-ins older with sqlite3.
client-test: build clients/js/node_modules/.package-lock.json chromium ## Clients for apps in JavaScript: real binary, real Chromium
	@$(call unless_unchanged,clients/js/node_modules/.tested)

clients/js/node_modules/.tested: $(PRODUCT) $(shell find clients/js -name node_modules -prune -o -type f -print)
	@tools/install sqlite3
	@cd clients/js && npm test --silent
	@touch $@

journeys: build chromium ## The main journeys: real binary, browser, mail server and identity provider
	@$(call unless_unchanged,test/e2e/node_modules/.main-passed)

JOURNEYS := test/e2e/node_modules/.package-lock.json $(PRODUCT) $(shell find test/e2e -name node_modules -prune -o -name results -prune -o -type f -print)
test/e2e/node_modules/.main-passed: $(JOURNEYS)
	@cd test/e2e && ../../tools/memory npm run --silent test:main
	@touch $@

# The databases differ only below the flows. So each journey runs on one of them.
e2e: build chromium ## All journeys, the main ones on SQLite and the others on PostgreSQL, and the differences between browsers
	@failed=; STAGE_RESULT=/dev/null $(MAKE) journeys || failed=1; \
		$(call unless_unchanged,test/e2e/node_modules/.others-passed) || failed=1; [ -z "$$failed" ]

# Without another make, which make -q would run.
ENGINES := (tools/engines && cd test/e2e && npm run --silent engines)
test/e2e/node_modules/.others-passed: $(JOURNEYS)
	@failed=; (cd test/e2e && PORTICO_TEST_DATABASE=postgres ../../tools/postgres run -- ../../tools/memory npm run --silent test:others) || failed=1; \
		$(ENGINES) || failed=1; [ -z "$$failed" ]
	@touch $@

engines: build test/e2e/node_modules/.package-lock.json ## Mouse presses in Chromium, Firefox and WebKitGTK; a password manager
	@$(ENGINES)

# The short form of the suites is for every change. PORTICO_TESTS=full selects the full form.
security-short: build ## The security suite (SEC-...) in its short form
	@tools/memory go test -vet=off -parallel 4 -timeout 60m ./test/security

faults-short: build ## The fault tests (FLT-...) in their short form
	@tools/postgres run -- go test -vet=off -timeout 60m ./test/faults

# Every kernel of our own Argon2id that the processor can run.
fuzz: ## Random passwords and costs: our Argon2id gives the bytes of x/crypto
	@go test -vet=off -run '^$$' -fuzz '^FuzzDerive$$' -fuzztime 20s ./internal/password/argon2

security: build ## The whole security suite, every sample and round
	@PORTICO_TESTS=full go test -count=1 -timeout 30m -v ./test/security
	@PORTICO_TESTS=full PORTICO_TEST_DATABASE=postgres tools/postgres run -- go test -count=1 -timeout 30m -v ./test/security

faults: build ## The fault tests in full: kills, waits, samples and figures
	@PORTICO_TESTS=full tools/postgres run -- go test -count=1 -timeout 120m -v ./test/faults

bench: build ## Speed, memory and growth compared with the limits of the machine, into test/bench/RESULTS.md
	@tools/postgres run -- go run ./test/bench $(BENCH)

fixture: build ## Keep the databases of a release for the tests of upgrades: VERSION=v1.2.3
	@tools/postgres run -- go test -count=1 -run TestWrite ./test/upgrade -args -fixture "$(VERSION)"

release: web/dist/documents/manifest.json ## The files of a release from a tagged commit, into bin/release: RELEASE="-snapshot -targets linux/amd64" without a tag, for one system
	@cd tools/release && $(GC) go run . $(RELEASE)

# The name of an image takes no "+".
image: ## The container image, with Docker or what CONTAINER names: IMAGE=localhost/portico:VERSION
	@version="$$(tools/version)"; image="$(or $(IMAGE),localhost/portico:$${version/+/-})"; \
	$(or $(CONTAINER),docker) build -t "$$image" --build-arg VERSION="$$version" \
		--build-arg REVISION="$(REVISION)" --build-arg DATE="$(DATE)" .

release-test: build clients/js/node_modules/.package-lock.json ## Releases have the same bytes when built twice; the package and the image install and run
	@tools/install curl fish python3-pip systemd-container zsh
	@go test -vet=off -run TestScripts/help ./internal/cli
	@cd tools/release && go vet . && go test -count=1 -timeout 60m .
	@tools/proxies
	@cd tools/image && go vet . && go test -count=1 -timeout 60m .

shots: build test/e2e/node_modules/.package-lock.json chromium ## Screenshots into test/e2e/results: journeys, and every state in every language
	@cd test/e2e && npm run --silent shots
	@cd web && npm run --silent shots ../test/e2e/results/states

images: build chromium ## The pictures of the README, into docs/images
	@cd web && npm run --silent shots -- --readme

clean: ## Delete all build output
	@rm -rf bin web/node_modules test/e2e/node_modules clients/js/node_modules test/apps/*/node_modules test/apps/frameworks/run-* test/e2e/results
	@find web/dist -mindepth 1 ! -name .gitignore -delete

web/dist/documents/manifest.json: web/node_modules/.package-lock.json $(WEB_SOURCES)
	@echo "building the screens"
	@cd web && npm run --silent build

%/node_modules/.package-lock.json: %/package-lock.json
	@echo "installing the packages of $*"
	@cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
