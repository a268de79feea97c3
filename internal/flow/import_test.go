package flow_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/people"
)

// how takes every hash that the passwords of the tests have.
func how(changes ...func(*flow.Import)) flow.Import {
	h := flow.Import{
		Hash: func(text string) (string, error) {
			if strings.HasPrefix(text, "$argon2id$") {
				return text, nil
			}
			return "", errors.New("is of a form that Portico does not know")
		},
	}
	for _, c := range changes {
		c(&h)
	}
	return h
}

func update(h *flow.Import)  { h.Update = true }
func keeping(h *flow.Import) { h.KeepSubject = true }
func dry(h *flow.Import)     { h.DryRun = true }

// brings imports people and returns what became of each.
func (b *bundle) brings(h flow.Import, all ...people.Person) (got []string) {
	b.Helper()
	return b.bringsBy(flow.ByOperator, h, all...)
}

func (b *bundle) bringsBy(by flow.Actor, h flow.Import, all ...people.Person) (got []string) {
	b.Helper()
	done, err := b.Operator.Import(b.Context(), by, all, h)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range done {
		line := string(d.Outcome)
		if d.Problem != nil {
			line += " " + d.Problem.Error()
		}
		got = append(got, strings.Join(append(append([]string{line}, d.Changes...), d.Left...), "; "))
	}
	return got
}

// hash returns what is stored of a password.
func (b *bundle) hash(password string) string {
	b.Helper()
	v := b.visitor("192.0.2.200")
	v.register("hash@example.org")
	if password != good {
		b.Fatal("the hash is of the good password")
	}
	return b.user("hash@example.org").Password
}

func TestImport_WithEverything(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	made := b.clock.Now().Add(-1000 * time.Hour)
	p := people.Person{
		Email: "Mara@Example.org", EmailVerified: true, Name: "Mara Lind", Locale: "de", Password: b.hash(good), Roles: []string{"staff", "admin"},
		CreatedAt: made, SeenAt: made.Add(time.Hour), EndsAt: b.clock.Now().Add(time.Hour),
		Addresses: []people.Address{{Email: "mara@home.test", Kind: "recovery", Verified: true}, {Email: "x@home.test"}},
		Terms:     &people.Terms{Version: "2", AcceptedAt: made}, Claims: []byte(`{"a":1}`),
		Identities: []people.Identity{{Issuer: "https://gone.test", Subject: "1"}},
		Passkeys:   []people.Passkey{{RPID: "old.test"}},
	}
	left := "other addresses that are not verified"
	want := []string{"created; " + left + "; identities at https://gone.test, for which the settings have no provider; passkeys for old.test, which is another host"}
	for _, h := range []flow.Import{how(dry), how(dry), how()} {
		if diff := cmp.Diff(want, b.brings(h, p)); diff != "" {
			t.Error(diff)
		}
	}
	a := b.user("mara@example.org")
	got := account.Account{
		ID: a.ID, Address: account.Address{Mail: "Mara@Example.org", Key: "mara@example.org"}, Name: "Mara Lind", State: account.Active, Roles: []string{"admin", "staff"},
		Password: p.Password, Version: 1, Locale: "de", Terms: account.Terms{Version: "2", AcceptedAt: made}, CreatedAt: made, EndsAt: p.EndsAt,
		Claims: `{"a":1}`,
	}
	if diff := cmp.Diff(got, a); diff != "" {
		t.Error(diff)
	}
	person, err := b.Operator.Person(t.Context(), a.ID)
	if err != nil || len(person.Addresses) != 1 || person.Addresses[0].Use != account.Recovery || !person.SeenAt.Equal(p.SeenAt) {
		t.Errorf("the person is %+v (%v)", person, err)
	}
	if f := person.Facts[0]; f.Name != audit.AccountImported || f.Actor != "operator" {
		t.Errorf("the record has %+v", f)
	}
	v := b.visitor("192.0.2.1")
	v.must(v.signIn("mara@example.org", good))
	if v.signedIn() == "" {
		t.Error("the password does not sign in")
	}
}

// A second run changes nothing, and so does one with --update if nothing differs.
func TestImport_Again(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var all []people.Person
	for i := range 150 {
		all = append(all, people.Person{Email: fmt.Sprintf("p%d@example.org", i), EmailVerified: true, Roles: []string{"staff"}})
	}
	for i, h := range []flow.Import{how(), how(), how(update)} {
		for n, got := range b.brings(h, all...) {
			if want := []string{"created", "unchanged", "unchanged"}[i]; got != want {
				t.Fatalf("run %d, person %d: %s", i, n, got)
			}
		}
	}
	all[3].Name, all[3].Roles, all[3].State = "Three", []string{}, "disabled"
	if got := b.brings(how(), all[3]); got[0] != "unchanged" {
		t.Error(got)
	}
	for _, h := range []flow.Import{how(update, dry), how(update)} {
		if got := b.brings(h, all[3], all[4]); got[0] != "changed; name; roles; state" || got[1] != "unchanged" {
			t.Error(got)
		}
	}
	all[3].Roles, all[3].State, all[4].Roles = nil, "", nil // the line does not say them anymore
	if got := b.brings(how(update), all[3], all[4]); got[0] != "unchanged" || got[1] != "unchanged" {
		t.Error(got)
	}
	a := b.user("p3@example.org")
	if a.Name != "Three" || len(a.Roles) != 0 || a.State != account.DisabledByOperator {
		t.Errorf("the account is %+v", a)
	}
	if f := b.record(audit.AccountImported); f.Detail != "name,roles,state" {
		t.Errorf("the record has %+v", f)
	}
}

// The end of an account changes, whatever its state is.
func TestImport_UpdateEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := people.Person{Email: "mara@example.org", EmailVerified: true, State: "disabled"}
	b.brings(how(), p)
	for _, ends := range []time.Time{b.clock.Now().Add(time.Hour), b.clock.Now().Add(-time.Hour)} {
		p.EndsAt = ends
		for _, want := range []string{"changed; ends_at", "unchanged"} {
			if got := b.brings(how(update), p); got[0] != want {
				t.Errorf("%s is %s, want %s", p.EndsAt, got, want)
			}
		}
		if a := b.user("mara@example.org"); !a.EndsAt.Equal(ends) || a.State != account.DisabledByOperator {
			t.Errorf("the account is %s, and ends at %v", a.State, a.EndsAt)
		}
	}
}

// Whose end has come here is not opened by a line that knows no end, neither before nor after the account is closed.
func TestImport_UpdateOpensNoEndedAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := people.Person{Email: "mara@example.org", EmailVerified: true, EndsAt: b.clock.Now().Add(time.Hour)}
	b.brings(how(), p)
	b.clock.Advance(time.Hour)
	p.EndsAt, p.State = time.Time{}, "active"
	for _, want := range []account.State{account.Active, account.DisabledByOperator} {
		if got := b.brings(how(update), p); got[0] != "unchanged" || b.user(p.Email).State != want {
			t.Errorf("%s: %s, want %s", got, b.user(p.Email).State, want)
		}
		b.closes()
	}
}

// An import is no approval, and takes nobody back who is to be erased.
func TestImport_UpdateKeepsTheDecisionsOfAdmins(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeApproved))
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, "waits@example.org", good)
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	b.next()
	left, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "left@example.org", "", good)
	if err == nil {
		_, err = b.Operator.ScheduleErasure(t.Context(), flow.ByOperator, left.ID, "left@example.org")
	}
	if err != nil {
		t.Fatal(err)
	}
	b.next()
	people := []people.Person{{Email: "waits@example.org"}, {Email: "left@example.org", State: "active"}}
	for _, h := range []flow.Import{how(update, dry), how(update)} {
		for i, got := range b.brings(h, people...) {
			if got != "unchanged" {
				t.Errorf("%s is %s", people[i].Email, got)
			}
		}
	}
	if a := b.user("waits@example.org"); a.State != account.Waiting {
		t.Errorf("the account that waited is %s", a.State)
	}
	if a := b.user("left@example.org"); a.State != account.DisabledByOperator {
		t.Errorf("the deleted account is %s", a.State)
	}
}

// A password that was used here, or chosen here, is newer than the one of the other system.
func TestImport_UpdateKeepsOurPassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.hash(good)
	p := people.Person{Email: "mara@example.org", EmailVerified: true, Password: "$argon2id$foreign"}
	b.brings(how(), p)
	p.Password = "$argon2id$other"
	if got := b.brings(how(update), p); got[0] != "changed; password" || b.user(p.Email).Password != p.Password {
		t.Error(got)
	}
	p.Password = ours
	b.brings(how(update), p)
	p.Password = "$argon2id$other"
	if got := b.brings(how(update), p); got[0] != "unchanged" || b.user(p.Email).Password != ours {
		t.Error(got)
	}
}

// An update adds no authenticator app, and names the accounts that go without the one of the line.
func TestImport_UpdateNamesMissingApps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	app := []people.TOTP{{Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}}
	without := people.Person{Email: "mara@example.org", EmailVerified: true}
	with := people.Person{Email: "noah@example.org", EmailVerified: true, TOTP: app}
	b.brings(how(), without, with)
	without.TOTP = app
	want := []string{"unchanged; authenticator apps of accounts that exist without one: delete these accounts and import them again", "unchanged"}
	if diff := cmp.Diff(want, b.brings(how(update), without, with)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"unchanged", "unchanged"}, b.brings(how(), without, with)); diff != "" {
		t.Error(diff)
	}
}

func TestImport_Refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hash(good)
	verified := func(email string) people.Person { return people.Person{Email: email, EmailVerified: true} }
	with := func(change func(*people.Person)) people.Person {
		p := verified("x@example.org")
		change(&p)
		return p
	}
	many := make([]string, 33)
	for name, c := range map[string]struct {
		p    people.Person
		want string
	}{
		"no address":      {people.Person{}, "email: is missing"},
		"no mailbox":      {verified("mara"), `email: "mara": is not an email address`},
		"letters":         {verified("mära@example.org"), `email: "mära@example.org": has a letter before the @ that is not ASCII, which mail servers refuse`},
		"long":            {verified(strings.Repeat("a", 300) + "@b.c"), `email: "` + strings.Repeat("a", 60) + `...": is too long`},
		"control":         {with(func(p *people.Person) { p.Name = "a\x1b[2Jb" }), `name: "a\x1b[2Jb": has a control character or an invisible one`},
		"state":           {with(func(p *people.Person) { p.State = "asleep" }), `state: "asleep": must be active or disabled`},
		"role":            {with(func(p *people.Person) { p.Roles = []string{"a b"} }), `roles: "[a b]": must be at most 32 names of lower-case letters, digits, and - _ : .`},
		"roles":           {with(func(p *people.Person) { p.Roles = many }), `roles: "[                                ]": must be at most 32 names of lower-case letters, digits, and - _ : .`},
		"year 1000":       {with(func(p *people.Person) { p.CreatedAt = time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC) }), `created_at: "1000-01-01T00:00:00Z": must be between the years 1970 and 9999`},
		"year 9999":       {with(func(p *people.Person) { p.CreatedAt = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }), `created_at: "9999-01-01T00:00:00Z": is in the future`},
		"a hash":          {with(func(p *people.Person) { p.Password = "secret" }), "password: is of a form that Portico does not know"},
		"a seed":          {with(func(p *people.Person) { p.TOTP = []people.TOTP{{Secret: "GEZDG!"}} }), "totp[0].secret: must be 10 to 128 bytes in base32"},
		"digits":          {with(func(p *people.Person) { p.TOTP = []people.TOTP{{Secret: seed, Digits: 9}} }), `totp[0]: "9 digits, 30 seconds, SHA1": must be 6 to 8 digits, 15 to 60 seconds, and SHA1, SHA256 or SHA512`},
		"subject":         {with(func(p *people.Person) { p.Subject = &people.Subject{Issuer: "https://old.test"} }), `subject.value: must have 1 to 255 printable ASCII characters`},
		"no issuer":       {with(func(p *people.Person) { p.Subject = &people.Subject{Value: "42"} }), "subject.issuer: is missing: name the issuer of the former ids"},
		"identity":        {with(func(p *people.Person) { p.Identities = []people.Identity{{Issuer: "https://idp.test"}} }), `identities[0].subject: must have 1 to 255 printable ASCII characters`},
		"another address": {with(func(p *people.Person) { p.Addresses = []people.Address{{Email: "a"}} }), `addresses[0].email: "a": is not an email address`},
		"its kind":        {with(func(p *people.Person) { p.Addresses = []people.Address{{Email: "a@b.c", Kind: "former"}} }), `addresses[0].kind: "former": must be recovery or other`},
		"taken":           {with(func(p *people.Person) { p.Addresses = []people.Address{{Email: "hash@example.org", Verified: true}} }), `addresses: "hash@example.org": belongs to another account`},
	} {
		got := b.brings(how(keeping), c.p, verified("good-"+strings.ReplaceAll(name, " ", "")+"@example.org"))
		if got[0] != "refused "+c.want || got[1] != "created" {
			t.Errorf("%s: %q\nwant %q", name, got, c.want)
		}
	}
	if _, err := b.Operator.User(t.Context(), "x@example.org"); !errors.Is(err, account.Missing) {
		t.Errorf("a refused person has left a trace: %v", err)
	}
}

const seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// Two lines of one file are two people, unless their addresses are one to Portico.
func TestImport_SameAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of := func(address string) people.Person { return people.Person{Email: address, EmailVerified: true} }
	got := b.brings(how(), of("mara.lind@example.org"), of("Mara.Lind@EXAMPLE.org"), of("maralind@example.org"), of("m@b\u00fccher.test"), of("m@xn--bcher-kva.test"))
	want := []string{
		"created", `refused email: "Mara.Lind@EXAMPLE.org": is the address of an earlier line too`, "created",
		"created", `refused email: "m@xn--bcher-kva.test": is the address of an earlier line too`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// No email is sent by an import, nor by the background work after it.
func TestImport_SendsNoEmail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	past := b.clock.Now().Add(-time.Hour)
	one := people.Person{Email: "one@example.org", EmailVerified: true, CreatedAt: past.Add(-time.Hour), EndsAt: past}
	two := people.Person{Email: "two@example.org", State: "disabled"}
	b.brings(how(), one, two)
	if got := b.user(one.Email).State; got != account.DisabledByOperator {
		t.Errorf("an account whose end has come is %s", got)
	}
	one.EndsAt, two.State, two.Name = time.Time{}, "", "Two"
	b.brings(how(update), one, two)
	b.closes()
	b.clock.Advance(400 * 24 * time.Hour)
	b.closes()
	b.erase()
	for _, p := range []people.Person{one, two} {
		page, err := b.Operator.Person(t.Context(), b.user(p.Email).ID)
		if err != nil || len(page.Emails) > 0 {
			t.Errorf("%s got %+v (%v)", p.Email, page.Emails, err)
		}
	}
	select {
	case <-b.mail.arrived:
		t.Errorf("sent: %+v", b.mail.messages)
	default:
	}
}

// A code of an app with another algorithm, period or number of digits works at once.
func TestImport_CodeWorksAtOnce(t *testing.T) {
	t.Parallel()
	for _, form := range []factor.Form{
		{Digits: 6, Period: 60, Algorithm: "SHA256"}, {Digits: 7, Period: 30, Algorithm: "SHA1"}, {Digits: 8, Period: 30, Algorithm: "SHA512"},
	} {
		b := setup(t)
		p := people.Person{Email: "mara@example.org", EmailVerified: true, Password: b.hash(good), TOTP: []people.TOTP{appOf(form)}}
		b.brings(how(), p)
		v := b.visitor("192.0.2.1")
		r := v.must(v.signIn(p.Email, good))
		v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(b.codeOf(p.TOTP[0]))))
		if v.signedIn() == "" {
			t.Errorf("not signed in with %+v", form)
		}
	}
}

func appOf(f factor.Form) people.TOTP {
	return people.TOTP{Secret: seed, Digits: f.Digits, Period: f.Period, Algorithm: f.Algorithm}
}

// A code with another number of digits than those of the apps has costs no guess. The step knows what they have.
func TestImport_DigitsOfSeveralApps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	apps := []people.TOTP{appOf(factor.Standard()), appOf(factor.Form{Digits: 8, Period: 30, Algorithm: "SHA1"})}
	apps[1].Secret = seed[:16]
	p := people.Person{Email: "mara@example.org", EmailVerified: true, Password: b.hash(good), TOTP: apps}
	b.brings(how(), p)
	for _, app := range apps {
		v := b.visitor("192.0.2.1")
		r := v.must(v.signIn(p.Email, good))
		view, err := v.Flows.View(t.Context(), v.Caller, r.FlowID)
		if s := view.SecondFactors; err != nil || s.Shortest != 6 || s.Longest != 8 {
			t.Errorf("the step shows %+v (%v)", s, err)
		}
		for range 20 {
			_, err := v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits("1234567"))
			wantField(t, err, factor.CodeFormat)
		}
		v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(b.codeOf(app))))
	}
	owner := setup(t).visitor("192.0.2.2")
	owner.register("mara@example.org")
	owner.enrols()
	_, err := owner.Flows.StepUp(t.Context(), owner.Caller, flow.Target{}, digits("12345678"))
	wantField(t, err, code.CodeFormat)
}

// With an id of the former system, and by no other account.
func TestImport_KeepsSubjects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of := func(email, issuer, value string) people.Person {
		return people.Person{Email: email, EmailVerified: true, Subject: &people.Subject{Issuer: issuer, Value: value}}
	}
	got := b.brings(how(keeping), of("a@example.org", "https://old.test", "42"), of("b@example.org", "https://other.test", "42"),
		of("c@example.org", "https://old.test", "0123456789abcdefghjkmnpqrw"))
	want := []string{
		"created", `refused subject.value: "42": belongs to another account`,
		`refused subject.value: "0123456789abcdefghjkmnpqrw": has the form of an id of Portico, which another account may get`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.brings(how(), of("d@example.org", "https://old.test", "43")) // not kept
	page, err := b.Operator.Imported(t.Context(), "")
	if err != nil || len(page) != 1 || page[0].Subject != (account.Subject{Issuer: "https://old.test", Value: "42"}) {
		t.Errorf("kept: %+v (%v)", page, err)
	}
	for client, want := range map[bool]string{true: "42", false: page[0].AccountID} {
		if got, err := b.OpenID.Subject(t.Context(), openid.Client{Imported: client}, page[0].AccountID); err != nil || got != want {
			t.Errorf("a client calls the user %q, want %q (%v)", got, want, err)
		}
	}
}

// An account that came closed with an end, and was opened since, is closed when its end comes.
func TestImport_EndOfAClosedAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := people.Person{Email: "mara@example.org", EmailVerified: true, State: "disabled", EndsAt: b.clock.Now().Add(time.Hour)}
	b.brings(how(), p)
	b.must(b.Operator.SetUserState(t.Context(), flow.ByOperator, b.user(p.Email).ID, account.Active))
	b.clock.Advance(time.Hour)
	b.closes()
	if a := b.user(p.Email); a.State != account.DisabledByOperator {
		t.Errorf("the account is %s", a.State)
	}
}

// A transaction that is tried again counts the same person again.
func TestImportSum_ChangesNoNames(t *testing.T) {
	t.Parallel()
	first, again := flow.NewImportSum(), flow.NewImportSum()
	one := flow.Imported{Left: []string{"passkeys", "addresses", "addresses"}}
	first.Add(one)
	again.Add(one)
	if want := map[string]int64{"addresses": 1, "passkeys": 1}; !maps.Equal(first.LeftOut, want) || !maps.Equal(again.LeftOut, want) {
		t.Errorf("left out: %v, and again %v", first.LeftOut, again.LeftOut)
	}
}
