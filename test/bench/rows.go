package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// row is a line of the table, or several lines from one measurement.
type row struct {
	name  string
	about string // the load and the limit, for readers of the table
	run   func(context.Context, *bench, engine) ([]figure, error)
	once  bool // whether it runs on the first database only
	named bool // whether it runs only if -row names it
}

// on returns the databases on which the row runs.
func (r row) on(all []engine) []engine {
	if r.once {
		return all[:1]
	}
	return all
}

func allRows() []row {
	return []row{
		{name: "session-hot", run: sessionHot,
			about: "`GET /auth/api/session` on 64 connections, every session seen before. Limit: a handler of net/http with the cookie, SHA-256, a map and the same JSON."},
		{name: "session-cold", run: sessionCold,
			about: "The same, every session seen for the first time. Limit: the same handler with the product's indexed read, by the same driver, in place of the map."},
		{name: "gateway", run: gateway, once: true,
			about: "A page of an app behind the gateway for signed-in users, on 64 connections and on one. Limit: httputil.ReverseProxy with the same connections and buffers, without a session check. Caddy and nginx are measured too where they are installed (`tools/proxies`), with as many kept connections."},
		{name: "forward-auth", run: forwardAuth, once: true,
			about: "`/auth/api/check` as Caddy and Traefik request it, on 64 connections, every session seen before. Limit: as for session-hot."},
		{name: "websockets", run: webSockets, once: true,
			about: "Open, silent WebSockets through the gateway, each of which has carried a byte both ways: the resident memory that they add."},
		{name: "bodies", run: bodies, once: true,
			about: "One download and one upload of 2 GiB through the gateway: the peak of the resident memory, minus the memory before."},
		{name: "sign-in", run: signIn,
			about: "`POST /auth/api/signin` on 16 connections in known browsers, and in new browsers, which send an email to the owner. Limit: the hash alone, one goroutine a core, by golang.org/x/crypto and by our own code."},
		{name: "strong proofs", run: strong,
			about: "A sign-in with a passkey, challenge and answer, and the code of an authenticator app for a session, each on 16 connections. Limit: `POST /auth/api/signin` with a password in known browsers, in the same turns."},
		{name: "storm", run: storm, once: true,
			about: "200 clients that sign in repeatedly, in new browsers, and 20 session checks a second beside them, timed from their planned start. Limits: as for sign-in; the same checks of the bare handler of session-hot, beside a process that hashes with golang.org/x/crypto on every core."},
		{name: "registration", run: registration, once: true,
			about: "Whole registrations on 16 connections: the form, the email, the code. Limit: as for sign-in."},
		{name: "openid flow", run: openIDFlow,
			about: "A code for a user with a session, its tokens and UserInfo, three requests on 16 connections. Limit: one signature of ES256 and the same writes, 16 at once, through the product's store: no HTTP, no reads, no checks."},
		{name: "openid refresh", run: openIDRefresh,
			about: "Refresh tokens, each of a grant of its own, on 16 connections. Limit: as for openid flow."},
		{name: "openid tokens", run: openIDTokens,
			about: "Introspection and UserInfo of 500 access tokens on 64 connections. Limit: the product's own check of as many sessions, every one seen before, in the same turns."},
		{name: "openid documents", run: openIDDocuments, once: true,
			about: "Discovery and the key set, on 64 connections. Limit: a handler of net/http that serves the same bytes and headers from a map."},
		{name: "openid peers", run: openIDPeers, once: true, named: true,
			about: "A flow as in openid flow, beside oidc-provider 9.13.3 (Node); a token in JWT form for the client itself, beside Dex (server package of 2026-08-06). On 16 connections, all sides in the same turns. Both peers keep everything in memory, Portico in SQLite."},
		{name: "sign-in page", run: signInPage, once: true,
			about: "The document and all that it loads before its first paint, compressed, on 64 connections. Limit: a handler of net/http that serves the same bytes and headers from a map."},
		{name: "start", run: startUp, once: true,
			about: "From the start of the process to the first 200 of /readyz on a large database; the memory of the process 5 seconds later; the size of the binary. Limit: a bare server of net/http that starts in the same turn."},
		{name: "people", run: lists,
			about: "A page of 25 people of a list, in a million, asked one after the other through the product's store. The search finds nobody among the 2,000 rows that one page may look at. Limit: the same with ten thousand accounts, in the same turns."},
		{name: "record", run: record, named: true,
			about: "A page of 25 audit records, in 40 million over 395 days, asked one after the other through the product's store. The last two searches find nothing among the 2,000 records that one page may look at. Limit: the same with 400,000 records, in the same turns."},
		{name: "import", run: importPeople, named: true,
			about: "`portico user import` of a million people with hashes of bcrypt, one in four with an authenticator app, beside a server with 400 session checks a second. Limits: five minutes; the same checks before the import."},
		{name: "growth", run: growth,
			about: "The p99 at a steady, light load, on a large database. Limit: the same with ten thousand accounts, at the same time."},
	}
}

// key returns the name of a row as -row takes it.
func (r row) key() string { return strings.ReplaceAll(r.name, " ", "-") }

func rowNames() []string {
	var names []string
	for _, r := range allRows() {
		names = append(names, r.key())
	}
	return names
}

// selectRows returns the rows of a list of names, or all rows for "".
func selectRows(list string) ([]row, error) {
	rows := allRows()
	if list == "" {
		return slices.DeleteFunc(rows, func(r row) bool { return r.named }), nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(rowNames(), name) {
			return nil, fmt.Errorf("there is no row %q: write one of %s", name, strings.Join(rowNames(), ", "))
		}
	}
	return slices.DeleteFunc(rows, func(r row) bool { return !slices.Contains(names, r.key()) }), nil
}

// selectEngines returns the databases to measure. PostgreSQL is one of them if
// there is a server.
func selectEngines(only, server string) ([]engine, error) {
	var all []engine
	if only == "" || only == "sqlite" {
		all = append(all, sqliteEngine{})
	}
	if server != "" && (only == "" || only == "postgres") {
		all = append(all, postgresEngine{server})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no database %q to measure on: write sqlite, or postgres under tools/postgres run", only)
	}
	return all, nil
}
