package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/store"
)

// data sends the form of the page that hands out a user's data.
func (v *visitor) data(account string) *answer {
	v.Helper()
	return v.form("/auth/account/data", url.Values{"account": {account}})
}

func TestSEC300_AStolenSessionGetsNoDataLater(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, _ := s.signedIn()
	id := v.id()
	s.clock.Advance(10 * time.Minute)
	if a := s.with(v.cookie("session")).data(id); a.status != 401 || strings.Contains(a.body, `"tables"`) {
		t.Errorf("an old session gets %d %s", a.status, a.body)
	}
	if a := s.visitor().data(id); a.status != 303 || strings.Contains(a.body, `"tables"`) {
		t.Errorf("no session gets %d %s", a.status, a.body)
	}
}

func TestSEC301_TheDataHasNoSecret(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, mara := s.signedIn()
	_ = v.forgot(mara)
	code := lastCode(s, s.mail, mara)
	a := v.data(v.id())
	a.must(200)
	for what, secret := range map[string]string{
		"the session token": v.cookie("session"), "the mailed code": `"` + code + `"`, "the hash of the password": "argon2", "the browser cookie": v.cookie("browser"),
	} {
		if secret == "" || strings.Contains(a.body, secret) {
			t.Errorf("the file has %s (%q)", what, secret)
		}
	}
	if a := v.data("other"); a.status != 409 {
		t.Errorf("a form of another account gets %d", a.status)
	}
}

func TestSEC302_ADeletedAccountLetsNothingIn(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	s.operator(mara, good)
	v, thief := s.visitor(), s.visitor()
	thief.signIn(mara, good).must(200)
	v.signIn(mara, good).must(200)
	token := v.cookie("session")
	v.post("account/delete", object{"account": v.id()}).must(200)
	for name, who := range map[string]*visitor{"this browser": v, "the token of before": s.with(token), "another browser": thief} {
		if who.whoami() != "" {
			t.Errorf("%s is still signed in", name)
		}
	}
	thief.signIn(mara, other).refused(401, "signin.rejected")
	var answer struct{ Next string }
	thief.signIn(mara, good).must(200).parse(&answer)
	if !strings.HasPrefix(answer.Next, "/auth/keep?flow=") || thief.whoami() != "" {
		t.Errorf("a sign-in leads to %q as %q", answer.Next, thief.whoami())
	}
	_, id, _ := strings.Cut(answer.Next, "flow=")
	s.visitor().post("keep", object{"flow": id}).refused(404, "flow.unknown") // not in this browser
	thief.post("keep", object{"flow": id}).must(200)
	if thief.whoami() != mara {
		t.Error("the press signs nobody in")
	}
}

func TestSEC303_AnErasedAccountLeavesNoRow(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, mara := s.signedIn()
	id := v.id()
	v.post("account/delete", object{"account": id}).must(200)
	s.clock.Advance(14 * 24 * time.Hour)
	err := s.app.Store.Write(t.Context(), func(tx *store.Tx) error { return s.app.Operator.EraseDue(t.Context(), tx, id) })
	if err != nil {
		t.Fatal(err)
	}
	for table, rows := range s.rows() {
		if table == "audit" || table == "revocation" || table == "outbox" {
			continue // docs/operating/personal-data.md names them
		}
		for _, row := range rows {
			if strings.Contains(row, id) || strings.Contains(row, mara) {
				t.Errorf("%s still names the account: %s", table, row)
			}
		}
	}
	v.signIn(mara, good).refused(401, "signin.rejected")
}

// The only export is JSON, which no spreadsheet opens by itself.
func TestSEC173_AnExportHasNoFormula(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for _, name := range []string{`=HYPERLINK("https://evil.test","x")`, "+1", "-1", "@SUM(A1)", "x\ty", "</script><script>alert(1)</script>"} {
		v, _ := s.signedIn()
		v.post("account/profile", object{"account": v.id(), "name": name}).must(200)
		a := v.data(v.id()).must(200)
		if kind := a.header.Get("Content-Type"); kind != "application/json" && !strings.HasPrefix(kind, "application/json;") {
			t.Errorf("the file is %q", kind)
		}
		disposition := a.header.Get("Content-Disposition")
		if !strings.HasPrefix(disposition, "attachment") || !strings.Contains(disposition, ".json") || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("a browser may open it as another kind: %v", a.header)
		}
		var file struct {
			Tables map[string][]map[string]any `json:"tables"`
		}
		a.parse(&file)
		want := strings.Join(strings.Fields(name), " ")
		if rows := file.Tables["account"]; len(rows) != 1 || rows[0]["name"] != want {
			t.Errorf("the name %q is %v", name, rows)
		}
		if strings.Contains(a.body, "<script>") || strings.Contains(a.body, "\t=") {
			t.Errorf("the file holds markup or a cell: %.200s", a.body)
		}
	}
}

func TestSEC465_ACopyHasSoManyRecords(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, _ := s.signedIn()
	id := v.id()
	_, err := s.openDatabase("").Exec(`INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
		SELECT 'r' || CAST(i AS TEXT), CAST($1 AS BIGINT) + i, 'signed_in', $2, 'self', '', '', '', '' FROM n`, s.clock.Now().UnixMicro(), id)
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	v.post("account/profile", object{"account": id, "name": "Mara"}).must(200)
	body := v.data(id).must(200).body
	if n := strings.Count(body, `"actor"`); n != 10_000 || !strings.Contains(body, `"name_changed"`) || strings.Contains(body, `"signed_up"`) {
		t.Errorf("the copy has %d records, or not the newest", n)
	}
}
