package security

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
	format "portico/internal/people"
	"portico/internal/secret"
	"portico/internal/store"
)

const importPath = "/auth/api/admin/imports"

// sentFile is what a test reads of an answer.
type sentFile struct {
	ID, State string
	Plan, Did struct{ Created, Changed, Refused int }
	Problems  []struct{ Where, Field, Value, Reason string }
}

// sender sends requests as an admin or with a key.
type sender func(method, target, body string) *answer

func (s *site) programOf(secret string) sender {
	return func(method, target, body string) *answer {
		s.Helper()
		return s.visitor().do(method, target, body, http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}})
	}
}

func (v *visitor) byHand(method, target, body string) *answer {
	v.Helper()
	return v.do(method, target, body, v.ours("application/json"))
}

// opens opens an import and sends a file.
func (s *site) opens(by sender, options, file string) (got sentFile) {
	s.Helper()
	by("POST", importPath, options).must(200).parse(&got)
	by("POST", importPath+"/"+got.ID+"/file", file).must(200).parse(&got)
	return got
}

// An import by an admin or a key makes no admin, changes none, and changes no way in to an account that exists. A key
// needs a scope of its own.
func TestSEC364_ImportGivesNoPower(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	const hash = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu"
	victim, user := fresh("v"), fresh("u")
	s.visitor().register(user)
	line := func(address, more string) string {
		return fmt.Sprintf("{\"email\":%q,\"email_verified\":true%s}\n", address, more)
	}
	file := line(victim, `,"password":"`+strings.Replace(hash, "n2j", "n3j", 1)+`"`) + line(fresh("root"), `,"roles":["portico:admin"]`) +
		line(admin.addressOf(admin.id()), `,"name":"Taken"`) + line(user, `,"roles":["portico:admin"]`)
	how := flow.Import{Hash: func(text string) (string, error) {
		stored, _, err := s.app.Passwords.Adopt(text)
		return stored, err
	}}
	_, err := s.app.Operator.Import(t.Context(), flow.ByOperator, []format.Person{{Email: victim, EmailVerified: true, Password: hash}}, how)
	s.must(err)
	all := func() (now []account.Account) {
		for _, address := range []string{victim, user, admin.addressOf(admin.id())} {
			now = append(now, s.of(address))
		}
		return now
	}
	before := all()
	others := slices.DeleteFunc(apikey.Scopes(), func(scope string) bool { return scope == "import" })
	_, weak := s.key(admin.id(), others...)
	s.programOf(weak)("POST", importPath, `{}`).refused(403, "key.scope")
	_, secret := s.key(admin.id(), "import")
	for name, by := range map[string]sender{"an admin": admin.byHand, "a key": s.programOf(secret)} {
		got := s.opens(by, `{"update":true}`, file)
		var fields []string
		for _, p := range got.Problems {
			fields = append(fields, p.Field)
		}
		if got.Plan.Refused != 4 || !slices.Equal(fields, []string{"password", "roles", "roles", "roles"}) {
			t.Errorf("%s: %+v", name, got)
		}
		by("POST", importPath+"/"+got.ID+"/start", `{}`).refused(409, "import.bad_lines")
		by("POST", importPath+"/"+got.ID+"/start", `{"skip_bad":true}`).must(200)
		s.jobsEnd()
	}
	if now := all(); !reflect.DeepEqual(now, before) {
		t.Errorf("the accounts are %+v", now)
	}
}

// An export of Keycloak leaves out the attributes of somebody who has none, and names roles that everybody has beside the last one.
func TestSEC500_TakenAwayElsewhere(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	address := fresh("u")
	s.visitor().register(address)
	for _, c := range []struct {
		enabled, fields string
		want            account.Account
	}{
		{"false", `"realmRoles":["default-roles-acme","staff"],"attributes":{"plan":["pro"]}`, account.Account{State: account.DisabledByOperator, Roles: []string{"staff"}, Claims: `{"plan":["pro"]}`}},
		{"true", `"realmRoles":["default-roles-acme"]`, account.Account{State: account.DisabledByOperator, Roles: []string{}}},
	} {
		file := fmt.Sprintf(`{"realm":"acme","users":[{"email":%q,"emailVerified":true,"enabled":%s,"credentials":[],%s}]}`, address, c.enabled, c.fields)
		got := s.opens(admin.byHand, `{"update":true}`, file)
		admin.byHand("POST", importPath+"/"+got.ID+"/start", `{}`).must(200)
		s.jobsEnd()
		if a := s.of(address); a.State != c.want.State || !slices.Equal(a.Roles, c.want.Roles) || a.Claims != c.want.Claims {
			t.Errorf("with %s the account is %s, with %q and %q", c.fields, a.State, a.Roles, a.Claims)
		}
	}
}

// The lines of a file have hashes. They go back to their sender alone, and rest sealed.
func TestSEC365_LinesOfAFile(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	other, _ := s.admin()
	_, secret := s.key(admin.id(), "import")
	const hash = "hunter2-is-no-hash"
	line := `{"email":"` + fresh("x") + `","password":"` + hash + `"}`
	got := s.opens(admin.byHand, `{}`, line+"\n")
	target := importPath + "/" + got.ID
	if shown := admin.byHand("GET", target, ""); strings.Contains(shown.must(200).body, hash) {
		t.Errorf("the answer has the hash: %s", shown.body)
	}
	for _, by := range []sender{other.byHand, s.programOf(secret)} {
		for _, path := range []string{"", "/rejected"} {
			by("GET", target+path, "").refused(404, "job.not_found")
		}
		by("POST", target+"/file", line).refused(404, "job.not_found")
		by("POST", target+"/start", `{}`).refused(404, "job.not_found")
	}
	if a := admin.byHand("GET", target+"/rejected", "").must(200); strings.TrimSpace(a.body) != line {
		t.Errorf("the sender gets %q", a.body)
	}
	s.must(s.app.Store.Read(t.Context(), func(tx *store.Tx) error {
		p, ok, err := tx.NextPart(t.Context(), got.ID, "", false)
		if ok && strings.Contains(string(p.Sealed), "hunter2") {
			t.Error("the database has the lines in clear")
		}
		return err
	}))
}

// A file is bounded, whatever its sender says of its length, and one that stops to come is dropped.
func TestSEC425_LargeFile(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, secret := s.key(admin.id(), "import")
	var open sentFile
	s.programOf(secret)("POST", importPath, `{}`).must(200).parse(&open)
	sends := func(length string, body io.Reader) string {
		t.Helper()
		c := s.connect()
		s.must(c.SetDeadline(time.Now().Add(5 * time.Minute))) // a busy machine takes long for 32 MB
		_, _ = fmt.Fprintf(c, "POST %s/%s/file HTTP/1.1\r\nHost: portico.test\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n", importPath, open.ID, secret, length)
		go func() { _, _ = io.Copy(c, body) }() // the server may close the connection
		status, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	if got := sends(fmt.Sprintf("Content-Length: %d", flow.MostFile+1), strings.NewReader("")); !strings.Contains(got, " 413 ") {
		t.Errorf("a file that says it is too large: %s", got)
	}
	line := fmt.Sprintf("{\"email\":%q,\"name\":%q}\n", "one@example.org", strings.Repeat("x", 1<<19))
	var chunks []io.Reader
	for range flow.MostFile/len(line) + 1 {
		chunks = append(chunks, strings.NewReader(fmt.Sprintf("%x\r\n%s\r\n", len(line), line)))
	}
	if got := sends("Transfer-Encoding: chunked", io.MultiReader(chunks...)); !strings.Contains(got, " 413 ") {
		t.Errorf("a file without a length: %s", got)
	}
	s.programOf(secret)("POST", importPath+"/"+open.ID+"/start", `{}`).refused(409, "import.unread")
}

// A line below 1 MiB had 349,000 passkeys, which took 200 MB, and YAML of 4 MiB took 560 MB.
func TestSEC450_FewValuesInALine(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	many := "[" + strings.Repeat("{},", 349_000) + "{}]"
	got := s.opens(admin.byHand, `{}`, `{"email":"`+fresh("x")+`","passkeys":`+many+"}\n"+`{"email":"`+fresh("y")+`"}`)
	if got.Plan.Created != 1 || got.Plan.Refused != 1 || len(got.Problems) != 1 || got.Problems[0].Field != "passkeys" || !strings.Contains(got.Problems[0].Reason, "too many values") {
		t.Errorf("%+v", got)
	}
	admin.byHand("POST", importPath, `{}`).must(200).parse(&got)
	yaml := admin.byHand("POST", importPath+"/"+got.ID+"/file", "users: {a: {email: a@b.c}}\ntotp_configurations: "+many)
	if !strings.Contains(yaml.must(422).body, "more values than") {
		t.Error(yaml.body)
	}
}

// Another file of the same key is refused while one comes, and those of others are not.
func TestSEC451_FilesAtOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, secret := s.key(admin.id(), "import")
	by := s.programOf(secret)
	var open sentFile
	by("POST", importPath, `{"from":"portico"}`).must(200).parse(&open)
	c := s.connect()
	_, _ = fmt.Fprintf(c, "POST %s/%s/file HTTP/1.1\r\nHost: portico.test\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n", importPath, open.ID, secret)
	for reads := false; !reads; { // the first thing that it does is to count a step
		s.must(s.app.Store.Read(t.Context(), func(tx *store.Tx) error {
			j, _, err := tx.JobByID(t.Context(), open.ID)
			reads = j.Step > 0
			return err
		}))
	}
	second := by("POST", importPath+"/"+open.ID+"/file", `{"email":"a@b.c"}`)
	if second.refused(429, "import.busy"); second.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", second.header)
	}
	if got := s.opens(admin.byHand, `{}`, `{"email":"`+fresh("x")+`"}`); got.Plan.Created != 1 {
		t.Errorf("of another one: %+v", got)
	}
	_, _ = fmt.Fprint(c, "0\r\n\r\n")
	if status, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(status, " 200 ") {
		t.Errorf("the first file: %s, %v", status, err)
	}
	by("POST", importPath+"/"+open.ID+"/file", `{"email":"a@b.c"}`).must(200)
}

// Another node takes the role of an admin between the two ends of an import.
func TestSEC426_ImportStopsWithItsAdmin(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	address := fresh("late")
	got := s.opens(admin.byHand, `{}`, `{"email":"`+address+`"}`)
	s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.UpdateRoles(t.Context(), admin.id(), nil)
	}))
	admin.byHand("POST", importPath+"/"+got.ID+"/start", `{}`).must(404)
	admin.byHand("POST", importPath+"/"+got.ID+"/file", "x").must(404)
	admin.byHand("GET", importPath+"/"+got.ID+"/rejected", "").must(404)
	if _, err := s.app.Operator.User(t.Context(), address); err == nil {
		t.Error("somebody was imported")
	}
}

// Users of another system choose their metadata, and begin the file.
func TestSEC470_MetadataMakesNoOtherFile(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	for _, chosen := range []string{
		`{"realm":"","users":[{"email":%q,"emailVerified":true}]}`,
		`{"users":[{"localId":"x","email":%q,"emailVerified":true}]}`,
		`{"orgs":[{"humanUsers":[{"userId":"1","user":{"email":{"email":%q,"isEmailVerified":true}}}]}]}`,
	} {
		user, planted := fresh("u"), fresh("planted")
		got := s.opens(admin.byHand, `{}`, fmt.Sprintf(`[{"id":"1","email":%q,"encrypted_password":"","raw_user_meta_data":%s}]`, user, fmt.Sprintf(chosen, planted)))
		admin.byHand("POST", importPath+"/"+got.ID+"/start", `{"skip_bad":true}`).must(200)
		s.jobsEnd()
		if n := s.count(`SELECT COUNT(*) FROM account WHERE address = $1`, planted); n != 0 {
			t.Errorf("%s makes an account", chosen)
		}
		s.of(user)
	}
}

// A line names an address, an identity and a passkey twice, and another one has a text that no database keeps.
func TestSEC472_JobOfAnOddLineEnds(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	admin, _ := s.admin()
	key := passkeytest.New("portico.test", s.origin, []byte("a handle of the other system"))
	twice := func(v object) string { return "[" + encode(v) + "," + encode(v) + "]" }
	file := fmt.Sprintf("{\"email\":%q,\"email_verified\":true,\"addresses\":%s,\"identities\":%s,\"passkeys\":%s}\n", fresh("u"),
		twice(object{"email": fresh("more"), "verified": true}), twice(object{"issuer": p.server.URL, "subject": fresh("s")}),
		twice(object{"rp_id": "portico.test", "id": secret.Encode(key.ID), "public_key": secret.Encode(key.PublicKey()), "user_handle": secret.Encode(key.Handle)}))
	file += fmt.Sprintf("{\"email\":%q,\"terms\":{\"version\":\"2026\\u0000\",\"accepted_at\":\"2026-01-01T00:00:00Z\"}}\n", fresh("u"))
	got := s.opens(admin.byHand, `{}`, file)
	if got.Plan.Created != 2 {
		t.Errorf("%+v", got)
	}
	admin.byHand("POST", importPath+"/"+got.ID+"/start", `{}`).must(200)
	s.jobsEnd()
	if n := s.count(`SELECT COUNT(*) FROM identity`) + s.count(`SELECT COUNT(*) FROM passkey`) + s.count(`SELECT COUNT(*) FROM other_address`); n != 3 {
		t.Errorf("%d rows were made, want 3", n)
	}
}

// A token that an OpenID client gets for itself has the id of the client as "sub".
func TestSEC474_NobodyIsCalledLikeAClient(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	line := func(subject string) string {
		return fmt.Sprintf("{\"email\":%q,\"subject\":{\"issuer\":\"https://old.test\",\"value\":%q}}\n", fresh("u"), subject)
	}
	got := s.opens(admin.byHand, `{"keep_subject":true}`, line("rp")+line("rp9"))
	if got.Plan.Created != 1 || len(got.Problems) != 1 || got.Problems[0].Field != "subject.value" {
		t.Errorf("%+v", got)
	}
}

// A user has a text of several lines, of which one looks like a person, in a table that somebody exports.
func TestSEC475_TextMakesNoPerson(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	user, planted, last := fresh("u"), fresh("planted"), fresh("u")
	got := s.opens(admin.byHand, `{}`, fmt.Sprintf("email,email_verified,roles,about\n%s,true,,\"I\n%s,true,staff,\nam\"\n%s,true,,\n", user, planted, last))
	admin.byHand("POST", importPath+"/"+got.ID+"/start", `{"skip_bad":true}`).must(200)
	s.jobsEnd()
	if n := s.count(`SELECT COUNT(*) FROM account WHERE address = $1`, planted); n != 0 || got.Plan.Created != 1 || len(got.Problems) != 1 {
		t.Errorf("%d accounts are planted: %+v", n, got)
	}
	s.of(last)
}
