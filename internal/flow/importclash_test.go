package flow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
	"portico/internal/password"
	"portico/internal/people"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store/sqlitetest"
)

const google = "https://accounts.google.com"

// owns returns a person with one of everything that belongs to one account alone.
func owns(name string, a *passkeytest.Authenticator) people.Person {
	return people.Person{
		Email: name + "@example.org", EmailVerified: true,
		Addresses:  []people.Address{{Email: name + "@home.test", Verified: true}},
		Identities: []people.Identity{{Issuer: google + "/", Subject: name}},
		Passkeys: []people.Passkey{{
			RPID: "portico.test", ID: secret.Encode(a.ID), PublicKey: secret.Encode(a.PublicKey()), UserHandle: secret.Encode(a.Handle),
		}},
		Subject: &people.Subject{Issuer: "https://old.test", Value: name},
	}
}

// Nobody gets what another account has, whether that one is in the database, earlier in the same call, or only in an earlier call
// of a dry run.
func TestImport_TakenByAnother(t *testing.T) {
	t.Parallel()
	for _, run := range []struct{ together, dry bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		b := setup(t, withPasskeys(t), withProvider(t))
		key := passkeytest.New("portico.test", "https://portico.test", []byte("handle"))
		mara := owns("mara", key)
		all := []people.Person{mara}
		for _, p := range []people.Person{
			{Addresses: mara.Addresses}, {Identities: mara.Identities}, {Passkeys: mara.Passkeys}, {Subject: mara.Subject}, {Email: "mara@home.test"}, {Addresses: []people.Address{{Email: mara.Email, Verified: true}}},
		} {
			if p.EmailVerified = true; p.Email == "" {
				p.Email = "noah@example.org"
			}
			all = append(all, p)
		}
		want := []string{
			"created", `refused addresses: "mara@home.test": belongs to another account`, `refused identities: "mara": belongs to another account`,
			"refused passkeys: belongs to another account", `refused subject.value: "mara": belongs to another account`, `refused email: "mara@home.test": belongs to another account`,
			`refused addresses: "mara@example.org": belongs to another account`,
		}
		h := how(keeping)
		h.DryRun, h.Seen = run.dry, flow.NewSeen()
		var got []string
		if run.together {
			got = b.brings(h, all...)
		} else {
			got = append(b.brings(h, all[0]), b.brings(h, all[1:]...)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %q", run, got)
		}
		if run.dry {
			continue
		}
		if got := b.brings(how(update), mara); got[0] != "unchanged" {
			t.Errorf("the owner clashes with itself: %q", got)
		}
		v := b.visitor("192.0.2.1")
		v.must(v.uses(key))
		if v.signedIn() != mara.Email {
			t.Errorf("the passkey signs in %q", v.signedIn())
		}
	}
}

// A line gives an account an identity. No later line gets it, and a dry run says so, also in another call.
func TestImport_UpdateGivesAnIdentityOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	mara, noah := people.Person{Email: "mara@example.org", EmailVerified: true}, people.Person{Email: "noah@example.org", EmailVerified: true}
	b.brings(how(), mara, noah)
	mara.Identities = []people.Identity{{Issuer: google, Subject: "1"}}
	noah.Identities = mara.Identities
	fresh := people.Person{Email: "zoe@example.org", EmailVerified: true, Identities: mara.Identities}
	refused := `refused identities: "1": belongs to another account`
	for _, h := range []flow.Import{how(update, dry), how(update)} {
		if got := b.brings(h, mara, noah, fresh); !slices.Equal(got, []string{"changed; identities", refused, refused}) {
			t.Errorf("dry %t: %q", h.DryRun, got)
		}
		h.Seen = flow.NewSeen()
		if got := append(b.brings(h, mara), b.brings(h, noah, fresh)...); !slices.Equal(got[1:], []string{refused, refused}) {
			t.Errorf("dry %t, in two calls: %q", h.DryRun, got)
		}
	}
}

// What an account has is bounded. What is beyond is left out, and counted.
func TestImport_Most(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := people.Person{Email: "mara@example.org", EmailVerified: true, TOTP: slices.Repeat([]people.TOTP{{Secret: seed}}, 4)}
	p.Addresses = []people.Address{{Email: "r@home.test", Kind: "recovery", Verified: true}, {Email: "s@home.test", Kind: "recovery", Verified: true}}
	for c := range 9 {
		p.Addresses = append(p.Addresses, people.Address{Email: string(rune('a'+c)) + "@other.test", Verified: true})
	}
	beyond := "other addresses beyond the most that an account may have"
	want := "created; " + beyond + "; " + beyond + "; authenticator apps beyond the most that an account may have"
	noah := people.Person{Email: "noah@example.org", EmailVerified: true, Addresses: []people.Address{
		{Email: "t@home.test", Kind: "recovery", Verified: true}, {Email: "u@home.test", Kind: "recovery", Verified: true},
	}}
	if got := b.brings(how(), p, noah); got[0] != want || got[1] != "created; "+beyond {
		t.Errorf("%q", got)
	}
}

// Attributes of a former system may have names that tokens have. The others arrive.
func TestImport_ReservedClaims(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := people.Person{Email: "mara@example.org", EmailVerified: true, Claims: []byte(`{"team":"b","scope":["read"],"plan":1.10}`)}
	if got := b.brings(how(), p); got[0] != "created; claims whose names have a meaning of their own in tokens" {
		t.Errorf("%q", got)
	}
	if got := b.user(p.Email).Claims; got != `{"plan":1.10,"team":"b"}` {
		t.Errorf("the claims are %s", got)
	}
}

// An account that a run changes has no sessions from before, if it is closed or has another password.
func TestImport_UpdateEndsSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hash := b.hash(good)
	for name, change := range map[string]func(*people.Person){
		"password": func(p *people.Person) { p.Password = "$argon2id$other" },
		"state":    func(p *people.Person) { p.State = "disabled" },
		"ends_at":  func(p *people.Person) { p.EndsAt = b.clock.Now().Add(-time.Hour) },
	} {
		p := people.Person{Email: name + "@example.org", EmailVerified: true, Password: hash}
		b.brings(how(), p)
		v := b.visitor("192.0.2.1")
		v.must(v.signIn(p.Email, good))
		if name == "password" { // as if nobody had signed in here by it
			b.rehash(p.Email, "$argon2id$foreign")
		}
		if v.signedIn() != p.Email {
			t.Fatalf("%s: signed in as %q", name, v.signedIn())
		}
		change(&p)
		b.brings(how(update), p)
		page, err := b.Operator.Person(t.Context(), b.user(p.Email).ID)
		if err != nil || len(page.Sessions) > 0 || v.signedIn() != "" {
			t.Errorf("%s: the sessions %+v go on (%v)", name, page.Sessions, err)
		}
		why := session.Disabled
		if name == "password" {
			why = session.Operator
		}
		_, err = v.Flows.Session(t.Context(), v.Caller.Session)
		if got := fault.From(err).Params["reason"]; got != string(why) {
			t.Errorf("%s: the session ended because of %q, want %q", name, got, why)
		}
	}
}

// rehash puts a hash into the database.
func (b *bundle) rehash(address, hash string) {
	b.Helper()
	if err := b.store.Write(b.Context(), func(tx flow.Tx) error {
		return tx.RehashPassword(b.Context(), b.user(address).ID, hash)
	}); err != nil {
		b.Fatal(err)
	}
}

// A role that an import takes is taken by the operator: an older sign-in through a provider does not
// give it back.
func TestImport_UpdateTakesRolesOfProviders(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	p := people.Person{Email: "mara@example.org", EmailVerified: true, Roles: []string{"admin", "staff"}, Identities: []people.Identity{{Issuer: google, Subject: "1"}}}
	b.brings(how(), p)
	id, before := b.user(p.Email).ID, b.clock.Now()
	linked := func() (all []account.Identity) {
		err := b.store.Read(t.Context(), func(tx flow.Tx) (err error) { all, err = tx.IdentitiesOf(t.Context(), id); return err })
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if err := b.store.Write(t.Context(), func(tx flow.Tx) error {
		return tx.UpdateIdentityRoles(t.Context(), google, "1", []string{"admin", "staff"}, before)
	}); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Minute)
	p.Roles = []string{"staff"}
	b.brings(how(update), p)
	if i := linked()[0]; !slices.Equal(i.Roles, []string{"staff"}) || !i.RolesAt.After(before) {
		t.Errorf("the identity holds %v since %v", i.Roles, i.RolesAt)
	}
}

// After a change of the master key, the hash of a line that came before is stored in another form, and is no new password.
func TestImport_UpdateAfterAChangeOfTheKey(t *testing.T) {
	t.Parallel()
	var key *secret.Key
	var passwords *password.Service
	d := newDesk(t, sqlitetest.Open(t), withPasswords(&passwords), func(c *flow.Config) { key = c.Key })
	_, by := d.key()
	p := people.Person{Email: "mara@example.org", EmailVerified: true, Password: importedHash}
	adopts := func(h *flow.Import) {
		h.Hash = func(text string) (string, error) {
			stored, _, err := passwords.Adopt(text)
			return stored, err
		}
	}
	d.brings(how(adopts), p)
	former := d.user(p.Email)
	key.Replace(secret.NewKey().With(key))
	for _, by := range []flow.Actor{by, flow.ByOperator} {
		if got := d.bringsBy(by, how(adopts, update), p); got[0] != "unchanged" {
			t.Errorf("the same hash: %q", got)
		}
	}
	if now := d.user(p.Email); now.Password != former.Password || now.Version != former.Version {
		t.Errorf("the account was %+v, and is %+v", former, now)
	}
	p.Password = strings.Replace(importedHash, "n2j1", "n2j2", 1)
	if got := d.brings(how(adopts, update), p); got[0] != "changed; password" {
		t.Errorf("another hash: %q", got)
	}
}
