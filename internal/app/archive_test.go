package app

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/people"
	"portico/internal/store"
	"portico/internal/store/archive"
)

// An installation that a server uses is left alone, however empty it is.
func TestImport_Served(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	from := open(t, settings(t, t.TempDir()), Options{})
	defer from.end(t)
	var text bytes.Buffer
	if _, err := from.Export(t.Context(), "", &text, true, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	r := run(t, open(t, cfg, Options{Dist: dist()}))
	defer func() {
		r.stop()
		if err := <-r.stopped; err != nil {
			t.Error(err)
		}
		r.end(t)
	}()
	if status, body := r.get(r.public + "/auth/api/session"); status != 401 {
		t.Fatal(status, body)
	}
	a, err := archive.Begin(&text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Import(t.Context(), cfg, a, ImportOptions{Tell: func(step string) { t.Log(step) }, Report: func(int64) {}})
	if err == nil || !strings.Contains(err.Error(), "stop it first") && !strings.Contains(err.Error(), "stop every node first") {
		t.Errorf("%v", err)
	}
}

// An authenticator app that no key opens is left out of an export of people, which says so.
func TestExportPeople_Unopened(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{})
	defer a.end(t)
	user, err := a.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.InsertFactor(t.Context(), factor.Factor{ID: "f", AccountID: user.ID, Kind: factor.TOTP, Sealed: []byte("of another key")})
	}); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"csv", "keycloak", "auth0"} {
		count, left, err := a.ExportPeople(t.Context(), format, "r", io.Discard, func(int64, int64) {})
		if err != nil || count != 1 || left["authenticator app that no key opens"] != 1 {
			t.Errorf("%s: %d people, %v left out, %v", format, count, left, err)
		}
	}
}

// An account whose end has come since the server was stopped is closed, and stays so in another product.
func TestExportPeople_Ended(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))
	a := open(t, settings(t, t.TempDir()), Options{Clock: now})
	defer a.end(t)
	user, err := a.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", "")
	if err == nil {
		err = a.Operator.SetUserEnd(t.Context(), flow.ByOperator, user.ID, now.Now().Add(time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, ended := range []bool{false, true} {
		for format, want := range map[string]string{"csv": ",disabled,", "keycloak": `"enabled":false`, "auth0": `"blocked":true`} {
			var out strings.Builder
			if _, _, err := a.ExportPeople(t.Context(), format, "r", &out, func(int64, int64) {}); err != nil || strings.Contains(out.String(), want) != ended {
				t.Errorf("%s, ended %v: %s (%v)", format, ended, out.String(), err)
			}
		}
		now.Advance(time.Hour)
	}
}

// An address that nobody has proven stays so in another product, also of an account from the first moment that a database knows.
func TestExportPeople_UnprovenSince1970(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{})
	defer a.end(t)
	p := people.Person{Email: "mara@example.org", CreatedAt: time.Unix(0, 0), TOTP: []people.TOTP{{Secret: "GEZDGNBVGY3TQOJQ"}}}
	if _, err := a.Operator.Import(t.Context(), flow.ByOperator, []people.Person{p}, flow.Import{}); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string][]string{
		"csv": {"mara@example.org,false,", ",1970-01-01T00:00:00Z,"}, "auth0": {`"email_verified":false`},
		"keycloak": {`"emailVerified":false`, `"createdTimestamp":0`, `"createdDate":0`},
	} {
		var out strings.Builder
		_, _, err := a.ExportPeople(t.Context(), format, "r", &out, func(int64, int64) {})
		for _, part := range want {
			if err != nil || !strings.Contains(out.String(), part) {
				t.Errorf("%s has no %s: %s (%v)", format, part, out.String(), err)
			}
		}
	}
}
