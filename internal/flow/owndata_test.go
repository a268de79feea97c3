package flow_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/session"
)

func TestData(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	other.register("noor@example.org")
	v.links("google")
	tables, err := b.Owner.Data(t.Context(), v.Caller, v.found())
	if err != nil {
		t.Fatal(err)
	}
	if m := b.next(); m.Template != "data-downloaded" || m.To != "mara@example.org" {
		t.Errorf("%s to %s", m.Template, m.To)
	}
	if f := b.record(audit.DataDownloaded); f.AccountID != v.found().User.ID || f.Actor != "self" {
		t.Errorf("%+v", f)
	}
	text, err := json.Marshal(tables)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mara@example.org", google, v.found().Session.ID, string(audit.SignedUp)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %s", want)
		}
	}
	for _, secret := range []string{"argon2", v.Caller.Session, "noor@example.org", other.found().User.ID} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the file has %s", secret)
		}
	}
}

func TestData_Refused(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	found := v.found()
	gone := found
	gone.Session.ID = "01jd3k8v5q0000000000000000"
	if tables, err := b.Owner.Data(t.Context(), v.Caller, gone); !errors.Is(err, session.Required) {
		t.Errorf("a session that has ended gets %d tables, %v", len(tables), err)
	}
	for range 9 {
		if _, err := b.Owner.Data(t.Context(), v.Caller, found); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Owner.Data(t.Context(), v.Caller, found); fault.From(err).Kind != fault.Limited {
		t.Errorf("the eleventh download in a day: %v", err)
	}
	b.clock.Advance(10 * time.Minute)
	if _, err := b.Owner.Data(t.Context(), v.Caller, found); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("with an old proof: %v", err)
	}
}
