package faults

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/testform"
)

// The audit records cannot be written. Nothing happens that would be recorded, and all of it does afterwards, without a
// restart.
func TestFLT25_RecordIsAway(t *testing.T) {
	announce(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, newSink(t))
		p.withoutRecord(p.statement, func(query string) int { return p.count(query) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		p := newOnPostgres(t, 8)
		p.withoutRecord(func(statement string) { p.exec(p.connect(), statement) }, p.count)
	})
}

func (p *place) withoutRecord(statement func(text string), count func(query string) int) {
	p.Helper()
	p.command("migrate")
	admin, known, stranger := fresh("admin"), fresh("known"), fresh("stranger")
	p.command("user", "create", admin, "--admin")
	var made struct{ Secret string }
	if out := p.command("key", "create", "--name", "sync", "--scope", "people:write", "--scope", "import", "--owner", admin, "--json"); json.Unmarshal([]byte(out), &made) != nil {
		p.Fatal(out)
	}
	r := p.serve()
	me, them, back := p.browser(), p.browser(), p.browser()
	me.register(known)
	var session struct{ User struct{ ID string } }
	if a, err := me.do("GET", "/auth/api/session", nil); err != nil || json.Unmarshal([]byte(a.body), &session) != nil || session.User.ID == "" {
		p.Fatal(err, a.body)
	}
	id := session.User.ID
	flow := them.begin(stranger)
	code := p.mail.code(stranger, 20*time.Second)
	program := func(path, body string) (a answer, err error) {
		request, err := http.NewRequest("POST", p.origin+"/auth/api/admin/"+path, strings.NewReader(body))
		if err != nil {
			return a, err
		}
		request.Header = http.Header{"Authorization": {"Bearer " + made.Secret}, "Content-Type": {"application/json"}}
		response, err := me.transport.RoundTrip(request)
		if err != nil {
			return a, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return answer{response.StatusCode, response.Header, string(text)}, err
	}
	var opened struct{ ID string }
	if a, err := program("imports", `{}`); err != nil || json.Unmarshal([]byte(a.body), &opened) != nil {
		p.Fatal(err, a.body)
	}
	if a, err := program("imports/"+opened.ID+"/file", `{"email":"`+fresh("brought")+`"}`); err != nil || a.status != 200 {
		p.Fatal(err, a.status, a.body)
	}

	state := func() [3]int {
		return [3]int{count(`SELECT COUNT(*) FROM account`), count(`SELECT COUNT(*) FROM session`), count(`SELECT COUNT(*) FROM account_role`)}
	}
	before := state()
	statement(`ALTER TABLE audit RENAME TO audit_away`)
	changes := map[string]func() (answer, error){
		"a registration": func() (answer, error) { return them.post("verify-code", map[string]string{"flow": flow, "code": code}) },
		"a sign-in": func() (answer, error) {
			return back.post("signin", map[string]string{"email": known, "password": good})
		},
		"a new name": func() (answer, error) {
			return me.post("account/profile", map[string]string{"account": id, "name": "Mara"})
		},
		"a role by a key": func() (answer, error) { return program("people/"+id+"/roles", `{"give":["editor"]}`) },
	}
	for what, change := range changes {
		if a, err := change(); err != nil || a.status < 500 {
			p.Errorf("%s that cannot be recorded: %v %d %s", what, err, a.status, a.body)
		}
	}
	if a, err := program("imports/"+opened.ID+"/start", `{}`); err != nil || a.status != 200 {
		p.Fatal(err, a.status, a.body)
	}
	if !eventually(testform.Patience, func() bool { return strings.Contains(r.log.String(), "cannot work on jobs") }) {
		p.Errorf("the job does not meet the fault:\n%s", r.log)
	}
	if after := state(); after != before {
		p.Errorf("accounts, sessions and roles were %v, and are %v without a record", before, after)
	}

	statement(`ALTER TABLE audit_away RENAME TO audit`)
	for what, change := range changes {
		if a, err := change(); err != nil || a.status != 200 {
			p.Errorf("%s afterwards: %v %d %s", what, err, a.status, a.body)
		}
	}
	want := [3]int{before[0] + 2, before[1] + 2, before[2] + 1}
	if !eventually(testform.Patience, func() bool { return state() == want }) {
		p.Errorf("accounts, sessions and roles are %v, want %v", state(), want)
	}
	for _, name := range []string{"signed_up", "signed_in", "name_changed", "roles_changed", "account_imported"} {
		if count(`SELECT COUNT(*) FROM audit WHERE name = '`+name+`'`) == 0 {
			p.Errorf("there is no record %s", name)
		}
	}
}
