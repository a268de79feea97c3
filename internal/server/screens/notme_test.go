package screens_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/server/screens"
	"portico/internal/store"
)

// raises raises the alarm of the next email.
func raises(s *apptest.Site) error {
	link, err := url.Parse(s.NextMail().Data["alarm_link"])
	if err != nil {
		return err
	}
	_, err = s.Flows.RaiseAlarm(s.Context(), flow.Caller{Locale: "en", Peer: "192.0.2.9/32"}, link.Query().Get("token"))
	return err
}

// regained returns a browser of an account that was taken back. The operator has given
// it a password.
func regained(t *testing.T) (*apptest.Site, visitor) {
	t.Helper()
	s, v := person(t)
	if err := raises(s); err != nil {
		t.Fatal(err)
	}
	a, err := s.Operator.User(t.Context(), "mara@example.org")
	if err == nil {
		err = s.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, apptest.Password)
	}
	if err != nil {
		t.Fatal(err)
	}
	v.SignIn("mara@example.org")
	return s, v
}

// The link of an alarm ends with its token too, whatever a mail program adds.
func TestNotMe_EndsWithItsToken(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	link := s.NextMail().Data["alarm_link"]
	for _, more := range []string{"", ".", ")", "%3E", ";"} {
		v.Open(link + more)
		if b := v.opens("/auth/not-me"); b.Link.State != "ready" {
			t.Errorf("%q: %s", more, b.Link.State)
		}
	}
}

// The page of the code says what the button has done.
func TestNotMe_SaysWhatItDid(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	v.Open(s.NextMail().Data["alarm_link"])
	next := v.Send("/auth/not-me", url.Values{"link": {v.opens("/auth/not-me").Link.Mark}}).Next()
	if b := v.opens(next); !strings.HasPrefix(b.Success, "Your account is secured. Every browser and app is signed out") {
		t.Errorf("%s says %q", next, b.Success)
	}
}

// While an alarm closes the account to changes, all its pages say for how long, and those of
// these changes show no form.
func TestAlarm_PagesSayForHowLong(t *testing.T) {
	t.Parallel()
	s, v := regained(t)
	const words = "You reported that someone else was in your account. To protect it, you can't change your addresses, " +
		"add or remove ways to sign in, download your data, or delete the account for another "
	closed := []string{"/auth/account/addresses", "/auth/account/providers", "/auth/account/passkeys", "/auth/account/factors", "/auth/account/data", "/auth/account/delete"}
	for _, at := range []struct {
		later time.Duration
		want  string
	}{{0, words + "72 hours."}, {70 * time.Hour, words + "2 hours."}, {2 * time.Hour, ""}} {
		s.Clock.Advance(at.later)
		v.SignIn("mara@example.org")
		for _, path := range closed {
			if b := v.opens(path); b.Notice != at.want || (b.Again == "closed") != (at.want != "") {
				t.Errorf("%s, later by %v: said %q, want %q, with the forms %q", path, at.later, b.Notice, at.want, b.Again)
			}
		}
		for _, path := range []string{"", "/profile", "/password", "/sessions", "/browsers", "/history", "/apps"} {
			if b := v.opens("/auth/account" + path); b.Notice != at.want {
				t.Errorf("%s, later by %v: said %q, want %q", path, at.later, b.Notice, at.want)
			}
		}
	}
}

// While an alarm closes the account, its password can be replaced, but not removed, and no
// password can be added.
func TestAlarm_PasswordCanOnlyBeReplaced(t *testing.T) {
	t.Parallel()
	s, v := regained(t)
	id := v.opens("/auth/account").Session.ID
	write := func(change func(*store.Tx) error) {
		t.Helper()
		if err := s.Store.Write(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *store.Tx) error {
		_, err := tx.InsertPasskey(t.Context(), passkey.Passkey{ID: "p", AccountID: id, Host: "localhost", Credential: []byte("p")})
		return err
	})
	if b := v.opens("/auth/account/password"); b.Account.Password != "only" || b.Again != "yes" || b.Notice == "" {
		t.Errorf("the password is %q, said %q", b.Account.Password, b.Notice)
	}
	write(func(tx *store.Tx) error {
		return tx.RehashPassword(t.Context(), id, "")
	})
	if b := v.opens("/auth/account/password"); b.Account.Password != "none" || b.Again != "closed" || !strings.HasSuffix(b.Notice, "for another 72 hours.") {
		t.Errorf("without a password it is %q, said %q", b.Account.Password, b.Notice)
	}
	write(func(tx *store.Tx) error { // with it, the press asks for it first
		_, err := tx.DeletePasskey(t.Context(), id, "p")
		return err
	})
	b := v.reads(v.Send("/auth/account/password", passwordForm(id)))
	if b.Notice != "" || b.Status != 403 || !strings.HasSuffix(b.Errors.Form, "for another 72 hours.") {
		t.Errorf("a press: %d, said %q and %q", b.Status, b.Notice, b.Errors.Form)
	}
}

// A press says it once.
func TestAlarm_APressSaysItOnce(t *testing.T) {
	t.Parallel()
	_, v := regained(t)
	person := v.opens("/auth/account").Session.ID
	for path, form := range map[string]url.Values{
		"/auth/account/addresses":   {"account": {person}, "email": {"new@example.org"}, "use": {""}},
		"/auth/account/factors/add": {"account": {person}},
	} {
		b := v.reads(v.Send(path, form))
		if b.Notice != "" || b.Status != 403 || !strings.HasSuffix(b.Errors.Form, "for another 72 hours.") {
			t.Errorf("%s: %d, said %q and %q", path, b.Status, b.Notice, b.Errors.Form)
		}
	}
}

// The history says which changes an alarm has made.
func TestHistory_Alarm(t *testing.T) {
	t.Parallel()
	_, v := regained(t)
	if all := v.opens("/auth/account/history").Account.History; !slices.ContainsFunc(all, func(e screens.Event) bool {
		return e.Text == "The password was removed" && e.Where == "By “This wasn't me”, 192.0.2.9"
	}) {
		t.Errorf("%+v", all)
	}
}
