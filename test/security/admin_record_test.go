package security

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/outbox"
	"portico/internal/store"
)

// recorded is what an admin reads in the record.
type recorded struct {
	Facts []struct {
		Kind, Words, Detail string
		Person, Actor       struct{ ID, Address, Name, Kind string }
	}
}

func (v *visitor) record(query string) (page recorded) {
	v.Helper()
	if err := json.Unmarshal([]byte(v.get("/auth/api/admin/record?"+query).must(200).body), &page); err != nil {
		v.Fatal(err)
	}
	return page
}

// What an admin copies or sends is in the record with the admin, as a change is.
func TestSEC380_AdminActsAreRecorded(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	user := s.visitor().register(fresh("u"))
	id := user.id()
	admin.calls("POST /auth/api/admin/people/{id}/roles", id).must(200)
	given := admin.record("kind=roles_changed&person=" + user.whoami()).Facts
	if len(given) != 1 || given[0].Words != "The roles were changed" || given[0].Detail != "editor" || given[0].Person.Address != user.whoami() ||
		given[0].Actor.Kind != "admin" || given[0].Actor.ID != admin.id() || given[0].Actor.Name == "" {
		t.Errorf("the record does not say who gave the role: %+v", given)
	}
	want := `"actor":{"kind":"admin","id":"` + admin.id() + `","address":"` + admin.whoami() + `"`
	if page := admin.calls("GET /auth/api/admin/people/{id}", id).must(200).body; !strings.Contains(page, want) {
		t.Errorf("the page of the user does not have %s:\n%s", want, page)
	}
	if by := admin.record("actor=" + admin.whoami()).Facts; len(by) != 1 {
		t.Errorf("the record has %d acts of the admin, want 1: %+v", len(by), by)
	}
	for _, form := range []string{"csv", "jsonl"} {
		file := admin.get("/auth/api/admin/record." + form + "?person=" + user.whoami()).must(200)
		if !strings.Contains(file.body, "The roles were changed") || !strings.Contains(file.body, admin.whoami()) || strings.Contains(file.body, user.whoami()) || !strings.Contains(file.header.Get("Content-Disposition"), "record."+form) {
			t.Errorf("the export is\n%s", file.body)
		}
	}
	exports := admin.record("kind=record_exported").Facts
	if len(exports) != 2 || exports[0].Actor.ID != admin.id() || exports[0].Detail != id {
		t.Errorf("the exports are recorded as %+v", exports)
	}
	s.settle()
	for n, message := range []string{"00000000000000000000000001", "00000000000000000000000002"} {
		s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.InsertMessage(t.Context(), outbox.Record{ID: message, Template: "notice", AccountID: id, CreatedAt: s.clock.Now(), DueAt: s.clock.Now(), DeadAt: s.clock.Now()})
		}))
		admin.do("POST", "/auth/api/admin/people/"+admin.id()+"/emails/"+message+"/again", `{}`, admin.ours("application/json")).must(404)
		path := "/auth/api/admin/people/" + id + "/emails/" + message + "/again"
		if n == 1 {
			path = "/auth/api/admin/system/mail/" + message + "/again"
		}
		admin.do("POST", path, `{}`, admin.ours("application/json")).must(200)
		if sent := admin.record("kind=mail_sent_again").Facts; len(sent) != n+1 || sent[0].Actor.ID != admin.id() || sent[0].Person.ID != id {
			t.Errorf("sending an email again is recorded as %+v", sent)
		}
	}
	// Another node takes the role, and the session that is known here still has it.
	s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.UpdateRoles(t.Context(), admin.id(), nil)
	}))
	admin.get("/auth/api/admin/record.csv").must(404)
}

// A filter with a typing error finds nothing else, and nothing of it is taken for a pattern.
func TestSEC381_RecordFiltersAreExact(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	for query, field := range map[string]string{
		"person=nobody@example.org": "person", "actor=nobody@example.org": "actor", "person=a@": "email", "limit=101": "limit", "limit=x": "limit", "from=yesterday": "from",
		"network=office": "network", "network=127.0.0.0/8": "network", "after=x": "after", "person=a&person=b": "person", "who=a": "",
	} {
		a := admin.get("/auth/api/admin/record?" + query)
		if a.status != 400 && a.status != 422 || field != "" && !strings.Contains(a.body, `"name":"`+field+`"`) {
			t.Errorf("%s is answered %d %s", query, a.status, a.body)
		}
	}
	for _, query := range []string{admin.peer, admin.peer + "/32", "::ffff:" + admin.peer} {
		if len(admin.record("network="+query).Facts) == 0 {
			t.Errorf("the network %s has no record", query)
		}
	}
	for _, query := range []string{"person=%25", "actor=admin:%25", "kind=signed%5Fi_", "kind=' OR 1=1--", "person=%00"} {
		if a := admin.get("/auth/api/admin/record?" + strings.ReplaceAll(query, " ", "%20")); a.status == 200 && !strings.Contains(a.body, `"facts":[]`) {
			t.Errorf("%s finds %s", query, a.body)
		}
	}
	admin.get("/auth/api/admin/record.csv?person=Mara%20Lind").must(200)
	if exports := admin.record("kind=record_exported").Facts; len(exports) != 1 || exports[0].Detail != "" {
		t.Errorf("an export about a typed name is recorded as %+v", exports)
	}
}

// slowly is a client that gets a file part by part. before runs before it gets the first one.
type slowly struct {
	*httptest.ResponseRecorder
	before func()
}

func (slowly) SetWriteDeadline(time.Time) error { return nil }
func (slowly) SetReadDeadline(time.Time) error  { return nil }

func (w slowly) FlushError() error {
	w.before()
	return nil
}

// A file is as long as its reader takes. It ends with the part that was read when a reload closed the page.
func TestSEC493_DownloadsEndWithThePage(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, key := s.key(admin.id(), "record:read")
	s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		record := audit.NewRecord(s.clock)
		for range 3 * audit.MostFacts {
			if err := record.Add(t.Context(), tx, audit.Fact{Name: audit.SignedIn, Actor: audit.Self}); err != nil {
				return err
			}
		}
		return nil
	}))
	former := s.config
	for name, change := range map[string]option{
		"off":     func(c *config.Config) { c.Admin = false },
		"network": func(c *config.Config) { c.AdminNetworks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} },
	} {
		r := httptest.NewRequest(http.MethodGet, s.origin+"/auth/api/admin/record.jsonl", nil)
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Authorization", "Bearer "+key)
		w := slowly{httptest.NewRecorder(), sync.OnceFunc(func() { s.follows(change) })}
		broken := func() (thrown any) {
			defer func() { thrown = recover() }()
			s.app.ServeHTTP(w, r)
			return nil
		}()
		if lines := strings.Count(w.Body.String(), "\n"); w.Code != 200 || lines > 2*audit.MostFacts || broken != http.ErrAbortHandler {
			t.Errorf("%s: the client gets %d, %d lines, and %v", name, w.Code, lines, broken)
		}
		s.config = former
		s.follows()
	}
}
