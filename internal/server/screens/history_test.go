package screens_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/server/screens"
	"portico/internal/store"
)

// The history names each proof of a sign-in, in the language of the page.
func TestHistory_NamesTheProofs(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config) {
		c.Providers = []config.Provider{{ID: "corp", Preset: "openid", Issuer: "https://id.corp.test", Name: "Corp", ClientID: "a", ClientSecret: "b"}}
	})
	id := s.Person("mara@example.org")
	v := visit(s)
	v.SignIn("mara@example.org")
	for _, tt := range []struct {
		name           audit.Name
		detail         string
		english, other string // other in German
	}{
		{audit.SignedIn, "", "Signed in", "Angemeldet"},
		{audit.SignedIn, "password", "Signed in with the password", "Angemeldet mit dem Passwort"},
		{audit.SignedIn, "passkey", "Signed in with a passkey", "Angemeldet mit einem Passkey"},
		{audit.SignedIn, "mail", "Signed in with a code or link from an email", "Angemeldet mit einem Code oder Link aus einer E-Mail"},
		{audit.SignedIn, "operator_link", "Signed in with a link from an administrator", "Angemeldet mit einem Link eines Administrators"},
		{audit.SignedIn, "provider:corp", "Signed in with Corp", "Angemeldet mit Corp"},
		{audit.SignedIn, "provider:gone", "Signed in with gone", "Angemeldet mit gone"},
		{audit.SignedIn, "password,totp", "Signed in with the password and an authenticator app", "Angemeldet mit dem Passwort und einer Authenticator-App"},
		{audit.SignedIn, "mail,recovery_code", "Signed in with a code or link from an email and a recovery code", "Angemeldet mit einem Code oder Link aus einer E-Mail und einem Wiederherstellungscode"},
		{audit.SignedIn, "password,trusted_browser", "Signed in with the password and a trusted browser", "Angemeldet mit dem Passwort und einem vertrauten Browser"},
		{audit.SignedIn, "password,passkey,totp", "Signed in with the password, a passkey and an authenticator app", "Angemeldet mit dem Passwort, einem Passkey und einer Authenticator-App"},
		{audit.SignedIn, "password,palm", "Signed in with the password and another proof", "Angemeldet mit dem Passwort und einem anderen Nachweis"}, // of a later version
		{audit.ProofGiven, "totp", "Confirmed it's you with an authenticator app", "Ihre Identität wurde bestätigt mit einer Authenticator-App"},
		{audit.ProofGiven, "password,totp", "Confirmed it's you with the password and an authenticator app", "Ihre Identität wurde bestätigt mit dem Passwort und einer Authenticator-App"},
		{"moon_landed", "", "Something else happened in your account", "Etwas anderes ist in Ihrem Konto geschehen"},
		{audit.SignInFailed, "password", "A wrong password was entered", "Ein falsches Passwort wurde eingegeben"},
		{audit.SignInFailed, "passkey", "A passkey was refused", "Ein Passkey wurde abgelehnt"},
	} {
		s.Clock.Advance(time.Second)
		if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
			return audit.NewRecord(s.Clock).Add(s.Context(), tx, audit.Fact{Name: tt.name, AccountID: id, Actor: "self", Detail: tt.detail})
		}); err != nil {
			t.Fatal(err)
		}
		for language, want := range map[string]string{"en": tt.english, "de": tt.other} {
			v.Header.Set("Accept-Language", language)
			if got := newest(v.opens("/auth/account/history")); got != want {
				t.Errorf("%s %s: %q, want %q", tt.name, tt.detail, got, want)
			}
		}
	}
}

// The page leads on to older records until there are none. Each record is on one page, also
// of several with the same time. The id of another account's record is as good as none.
func TestHistory_Older(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	add := func(account string, count int) {
		t.Helper()
		if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
			for range count {
				if err := audit.NewRecord(s.Clock).Add(s.Context(), tx, audit.Fact{Name: audit.NameChanged, AccountID: account, Actor: "self"}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	first := v.opens("/auth/account/history")
	if first.Account.Older != "" {
		t.Errorf("%d events lead to %q", len(first.Account.History), first.Account.Older)
	}
	s.Clock.Advance(time.Minute)
	add(first.Session.ID, 50)
	s.Clock.Advance(time.Minute)
	add(first.Session.ID, 150)
	var lengths []int
	seen := map[string]bool{}
	for path := "/auth/account/history"; path != ""; {
		b := v.opens(path)
		lengths = append(lengths, len(b.Account.History))
		for _, event := range b.Account.History {
			if seen[event.ID] {
				t.Fatalf("the event %s is on two pages", event.ID)
			}
			seen[event.ID] = true
		}
		path = b.Account.Older
	}
	if want := []int{100, 100, len(first.Account.History)}; !slices.Equal(lengths, want) {
		t.Errorf("the pages have %v events, want %v", lengths, want)
	}

	other := s.Person("noor@example.org")
	add(other, 1)
	theirs := visit(s)
	theirs.SignIn("noor@example.org")
	id := theirs.opens("/auth/account/history").Account.History[0].ID
	if foreign := v.opens("/auth/account/history?before=" + id); len(foreign.Account.History) != 0 || foreign.Account.Older != "" {
		t.Errorf("before the record of another account come %+v", foreign.Account.History)
	}
}

func newest(b screens.Boot) string { return b.Account.History[0].Text }

// The history marks attempts that failed and ends of sessions, begins each day once, and can leave all but the
// attempts to sign in out.
func TestHistory_SignIns(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	s.Clock.Advance(time.Second)
	v.Send("/auth/account/profile", url.Values{"account": {v.opens("/auth/account").Session.ID}, "name": {"Mara"}, "locale": {"en"}})
	s.Clock.Advance(time.Second)
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		failed := audit.Fact{Name: audit.SignInFailed, AccountID: v.opens("/auth/account").Session.ID, Actor: "stranger"}
		return audit.NewRecord(s.Clock).Add(s.Context(), tx, failed)
	}); err != nil {
		t.Fatal(err)
	}
	all := v.opens("/auth/account/history").Account
	if e := all.History[0]; e.Failed != "yes" || e.SignIn != "yes" || e.Begins != "yes" || e.Text != "A wrong password was entered" {
		t.Errorf("the newest event is %+v", e)
	}
	if e := all.History[1]; e.Failed != "" || e.SignIn != "" || e.Begins != "" || all.SignIns != "" {
		t.Errorf("the change of the name is %+v", e)
	}
	only := v.opens("/auth/account/history?only=signins").Account
	if only.SignIns != "yes" || len(only.History) == 0 || len(only.History) >= len(all.History) {
		t.Errorf("%d of %d events", len(only.History), len(all.History))
	}
	for _, e := range only.History {
		if e.SignIn != "yes" {
			t.Errorf("not an attempt to sign in: %+v", e)
		}
	}
	other := visit(s)
	other.SignIn("mara@example.org")
	s.Clock.Advance(time.Second)
	other.Send("/auth/signout", url.Values{})
	if e := v.opens("/auth/account/history").Account.History; e[0].SignOut != "yes" || e[0].SignIn != "" || e[1].SignOut != "" {
		t.Errorf("a sign-out after a sign-in is %+v", e[:2])
	}
}

// The list says which devices are in use now, and knows a phone by its system.
func TestSessions_Active(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	phone := visit(s)
	phone.Header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1")
	phone.SignIn("mara@example.org")
	if list := v.opens("/auth/account/sessions").Account.Sessions; list[0].Here != "yes" || list[0].Phone != "" || list[1].Active != "yes" || list[1].Phone != "yes" {
		t.Errorf("%+v", list)
	}
	s.Clock.Advance(10 * time.Minute)
	if list := v.opens("/auth/account/sessions").Account.Sessions; list[0].Active != "yes" || list[1].Active != "" || list[1].Seen.At == "" {
		t.Errorf("after ten minutes: %+v", list)
	}
}
