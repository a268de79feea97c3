package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const module = "portico/"

// clients is the beginning of the path of the clients, which are modules of their
// own (docs/decisions/0097-names-of-the-packages.md).
const clients = "portico.internal/"

// band is a layer of the code. A package may import packages of the bands in
// below, and none of its own band.
type band struct {
	name     string
	packages []string
	imports  []string
}

// bands returns all packages by layer, from the top down. Add each new package
// to one of them; the choice decides what it may import.
func bands() []band {
	return []band{
		{"command", list("cmd/portico"), list("cli")},
		{"cli", list("internal/cli"), list("clipart doctor dev app config handler form kit move archive adapter flow room ground web")},
		{"clipart", list("internal/cli/spoof internal/notices"), list("ground")},
		{"doctor", list("internal/doctor"), list("app config handler kit adapter room ground")},
		{"dev", list("internal/dev"), list("devpart app config handler form kit adapter flow room ground web")},
		{"devpart", under("internal/dev/", "idp mailbox"), list("kit ground web")},
		{"app", list("internal/app"), list("config metric handler form kit archive adapter flow room ground web")},
		{"config", list("internal/config"), list("ground")},
		{"metric", list("internal/telemetry/metric"), list("kit adapter flow room ground")}, // reads the statistics of every part
		{"handler", under("internal/server/", "api admin screens provider gateway issuer ops"), list("form kit flow room ground")},
		{"form", list("internal/server/form"), list("kit flow room ground")},
		{"kit", list("internal/server"), list("ground")},
		{"adapter", list("internal/store internal/mailer internal/breach internal/farewell internal/telemetry/otlp"), list("engine enginekit flow room ground")},
		{"move", list("internal/store/move"), list("adapter engine enginekit room ground")},
		{"archive", list("internal/store/archive"), list("adapter engine enginekit room ground")},
		{"engine", under("internal/store/", "sqlite postgres"), list("enginekit ground")},
		{"enginekit", list("internal/store/engine"), list("ground")},
		{"storetest", list("internal/store/storetest internal/store/pgtest internal/store/sqlitetest"), list("adapter flow room ground")},
		{"logtest", list("internal/logtest internal/goldentest internal/testform internal/place/placetest internal/egress/egresstest"), nil},
		{"otlptest", list("internal/telemetry/otlp/otlptest"), nil},
		{"passkeytest", list("internal/passkey/passkeytest internal/openid/openidtest"), list("room ground")},
		{"screentest", list("internal/screentest"), list("handler")},
		{"apptest", list("internal/apptest"), list("app config form kit screentest storetest adapter flow room logtest ground")},
		{"flow", list("internal/flow"), list("room ground")},
		{"room", under("internal/", "account password code factor passkey trust session federation signingkey openid assertion clientdoc rule throttle audit job invitation apikey once outbox webhook legacy signupask cluster masterkey brand"), list("roompart ground")},
		{"roompart", list("internal/password/argon2 internal/password/foreign"), list("roompart")}, // used by one package each and by one another
		{"ground", under("internal/", "fault clock ids secret locale origin egress useragent budget systemd certificate telemetry/span telemetry/tally pages untrusted picture document place claim people signature"), nil},
		{"base", list(". internal/file internal/legible"), nil}, // every other band may import it
		{"web", list("web"), nil},
		{"clienttest", list("clients/go/clienttest"), list("client")},
		{"client", list("clients/go"), nil},
		{"tool", list("internal/archtest internal/breach/generate internal/notices/generate tools/release tools/image"), list("adapter")},
		{"harness", under("test/", "bench bench/dex security faults proxies upgrade acme apps apps/programs/apiserver apps/programs/dex"), list("dev devpart app config form kit adapter move logtest otlptest flow room passkeytest ground web client")},
	}
}

func list(names string) []string { return strings.Fields(names) }

func under(folder, names string) []string {
	packages := strings.Fields(names)
	for i := range packages {
		packages[i] = folder + packages[i]
	}
	return packages
}

func bandOf(pkg string) (band, bool) {
	for _, b := range bands() {
		if slices.Contains(b.packages, pkg) {
			return b, true
		}
	}
	return band{}, false
}

// arrows reports imports that do not run down. Tests are exempt, because
// packages are tested with the real store.
func arrows(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		from, known := bandOf(f.pkg())
		if !known {
			broken = append(broken, fmt.Sprintf("%s: the package %s is in no band: add it to the bands of internal/archtest", f.path, f.pkg()))
			continue
		}
		for _, spec := range f.Go.Imports {
			pkg, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
			if !ours {
				if pkg, ours = strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), clients); !ours {
					continue
				}
			}
			to, known := bandOf(pkg)
			if known && to.name != "base" && !slices.Contains(from.imports, to.name) {
				broken = append(broken, fmt.Sprintf("%s: %s (%s) may not import %s (%s)", t.at(spec), f.pkg(), from.name, pkg, to.name))
			}
		}
	}
	return broken
}

func TestArrows(t *testing.T) {
	t.Parallel()
	hold(t, arrows, map[string]string{
		"internal/account/a.go":      `package account; import ("fmt"; "portico/internal/fault")`,
		"internal/account/a_test.go": `package account_test; import "portico/internal/store"`,
		"internal/session/s.go":      `package session; import "portico/internal/account"`,
		"internal/flow/hash.go":      `package flow; import "portico/internal/password/argon2"`,
		"internal/server/api/a.go":   `package api; import ("portico/internal/flow"; "portico/internal/store")`,
		"internal/flow/f.go":         `package flow; import "portico/internal/server"`,
		"internal/clock/c.go":        `package clock; import "portico/internal/ids"`,
		"internal/mailer/m.go":       `package mailer; import "portico/internal/config"`,
		"internal/app/a.go":          `package app; import ("portico/internal/config"; "portico/internal/store"; "portico/internal/dev")`,
		"internal/helper/h.go":       `package helper`,
		"clients/go/c.go":            `package client; import "portico/internal/fault"`,
	},
		"clients/go/c.go:1: clients/go (client) may not import internal/fault (ground)",
		"internal/app/a.go:1: internal/app (app) may not import internal/dev (dev)",
		"internal/clock/c.go:1: internal/clock (ground) may not import internal/ids (ground)",
		"internal/flow/f.go:1: internal/flow (flow) may not import internal/server (kit)",
		"internal/flow/hash.go:1: internal/flow (flow) may not import internal/password/argon2 (roompart)",
		"internal/helper/h.go: the package internal/helper is in no band: add it to the bands of internal/archtest",
		"internal/mailer/m.go:1: internal/mailer (adapter) may not import internal/config (config)",
		"internal/server/api/a.go:1: internal/server/api (handler) may not import internal/store (adapter)",
		"internal/session/s.go:1: internal/session (room) may not import internal/account (room)",
	)
}
