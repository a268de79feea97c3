package screens_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apptest"
	"portico/internal/flow"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
)

const toAccount = "/auth/signin?return_to=%2Fauth%2Faccount"

// elsewhere signs Mara in with another browser.
func elsewhere(s *apptest.Site) (flow.Caller, session.Found) {
	other := visit(s)
	other.SignIn("mara@example.org")
	c := flow.Caller{Session: other.Cookie("session")}
	found, err := s.Flows.Session(s.Context(), c.Session)
	if err != nil {
		s.Fatal(err)
	}
	return c, found
}

// If a session ended for another reason than signing out, the sign-in page
// shows the reason once, in the visitor's language.
func TestSignIn_SaysWhyTheSessionEnded(t *testing.T) {
	t.Parallel()
	for why, tt := range map[session.Reason]struct {
		end func(s *apptest.Site, v visitor, id string) error
		en  string
		de  string
	}{
		session.Idle: {func(s *apptest.Site, _ visitor, _ string) error {
			s.Clock.Advance(s.Config.Session.Idle)
			return nil
		}, "you were inactive for a while.", "Sie längere Zeit nicht aktiv waren."},
		session.Absolute: {func(s *apptest.Site, v visitor, _ string) error {
			for end := s.Clock.Now().Add(s.Config.Session.Absolute); s.Clock.Now().Before(end); {
				v.Open("/auth/account")
				s.Clock.Advance(24 * time.Hour)
			}
			return nil
		}, "your session expired.", "Ihre Sitzung abgelaufen ist."},
		session.Elsewhere: {func(s *apptest.Site, _ visitor, _ string) error {
			c, found := elsewhere(s)
			return s.Owner.EndOtherSessions(s.Context(), c, found)
		}, "you signed this device out from another one.", "dieses Gerät von einem anderen aus abgemeldet wurde."},
		session.Changed: {func(s *apptest.Site, _ visitor, id string) error {
			c, found := elsewhere(s)
			err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
				_, err := tx.AddAddress(s.Context(), account.Other{AccountID: id, Address: account.Address{Mail: "new@example.org", Key: "new@example.org"}, Use: account.Spare, Until: account.Forever}, s.Clock.Now())
				return err
			})
			if err != nil {
				return err
			}
			_, err = s.Owner.SetRecovery(s.Context(), c, found, "new@example.org")
			return err
		}, "your sign-in details were changed.", "Ihre Anmeldedaten geändert wurden."},
		session.Alarm: {func(s *apptest.Site, _ visitor, _ string) error {
			return raises(s)
		}, "your account was secured with “This wasn't me”.", "Ihr Konto mit „Das war ich nicht“ gesichert wurde."},
		session.Password: {func(s *apptest.Site, _ visitor, _ string) error {
			a, err := s.Operator.User(s.Context(), "mara@example.org")
			if err != nil {
				return err
			}
			return s.Operator.SetUserPassword(s.Context(), flow.ByOperator, a, "seven hills under a paper lantern")
		}, "your password was changed.", "Ihr Passwort geändert wurde."},
		session.Disabled: {func(s *apptest.Site, _ visitor, id string) error {
			return s.Operator.SetUserState(s.Context(), flow.ByOperator, id, account.DisabledByOperator)
		}, "your account was disabled. Contact support.", "Ihr Konto gesperrt wurde. Wenden Sie sich an den Support."},
		session.Operator: {func(s *apptest.Site, _ visitor, id string) error {
			_, err := s.Operator.EndUserSessions(s.Context(), flow.ByOperator, id)
			return err
		}, "an administrator ended your session.", "ein Administrator Ihre Sitzung beendet hat."},
		session.Deleted: {func(s *apptest.Site, _ visitor, id string) error {
			return s.Operator.DeleteUser(s.Context(), flow.ByOperator, id)
		}, "your account was deleted.", "Ihr Konto gelöscht wurde."},
		"eclipse": {func(s *apptest.Site, _ visitor, id string) error {
			return s.Store.Write(s.Context(), func(tx *store.Tx) error {
				_, err := tx.DeleteSessions(s.Context(), id, "", "eclipse") // as a later version might
				return err
			})
		}, "your session was ended.", "Ihre Sitzung beendet wurde."},
	} {
		t.Run(string(why), func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t)
			id := s.Person("mara@example.org")
			v, german := visit(s), visit(s)
			german.Header = http.Header{"Accept-Language": {"de"}}
			v.SignIn("mara@example.org")
			german.SignIn("mara@example.org")
			if err := tt.end(s, v, id); err != nil {
				t.Fatal(err)
			}
			v.leads(v.Open("/auth/account"), toAccount)
			if b := v.opens(toAccount); b.Notice != "You were signed out because "+tt.en || b.ReturnTo != "/auth/account" || b.Session.Email != "" {
				t.Errorf("said %q, on the way to %q", b.Notice, b.ReturnTo)
			}
			if b := v.opens(toAccount); b.Notice != "" || v.Cookie("session") != "" {
				t.Errorf("said again: %q, with the cookie %q", b.Notice, v.Cookie("session"))
			}
			if b := german.opens("/auth/signin"); b.Notice != "Sie wurden abgemeldet, weil "+tt.de {
				t.Errorf("in German %q", b.Notice)
			}
		})
	}
}

// The session cookie outlives the session. Otherwise the sign-in page could not
// report its absolute expiry.
func TestSignIn_CookieOutlivesTheSession(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	p := visit(s).Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}})
	life := time.Duration(0)
	for _, c := range p.Cookies() {
		if c.Name == "portico-session" {
			life = time.Duration(c.MaxAge) * time.Second
		}
	}
	if want := s.Config.Session.Absolute + session.Remembered; life != want {
		t.Errorf("the cookie lives for %v, want %v", life, want)
	}
}

// A script or an app that notices the end first gets an error, and the sign-in
// page still shows the reason afterwards.
func TestSession_EndedIsAProblemOfItsOwn(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	s.Clock.Advance(s.Config.Session.Idle)
	for _, path := range []string{"/auth/api/session", "/auth/api/sessions"} {
		p := v.Open(path)
		if p.StatusCode != 401 || !strings.Contains(p.Body, `"code":"session.ended"`) || !strings.Contains(p.Body, `"reason":"idle"`) {
			t.Errorf("%s: %d %s", path, p.StatusCode, p.Body)
		}
	}
	if b := v.opens("/auth/signin"); !strings.HasPrefix(b.Notice, "You were signed out because") {
		t.Errorf("said %q", b.Notice)
	}
}

// The page shows no reason after signing out, and none for a cookie that never
// belonged to a session. None is cleared: another request of the browser may have replaced it
// meanwhile, as a sign-in or a second factor does.
func TestSignIn_SaysNothingOtherwise(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	token := v.Cookie("session")
	v.leads(v.Send("/auth/signout", nil), "/auth/signed-out")
	for target, app := range map[string]string{"/reports": "/reports", "/auth/account": "", "": ""} {
		if b := v.opens("/auth/signed-out?return_to=" + url.QueryEscape(target)); b.ReturnTo != target || b.Next != app {
			t.Errorf("to %s: a sign-in leads to %q, and the link to the app to %q", target, b.ReturnTo, b.Next)
		}
	}
	again := visit(s)
	again.SignIn("mara@example.org")
	replaced := again.Cookie("session")
	again.SignIn("mara@example.org")
	own := flow.Caller{Session: again.Cookie("session")}
	found, err := s.Flows.Session(t.Context(), own.Session)
	if err == nil {
		err = s.Owner.EndSession(t.Context(), own, found, found.Session.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"signed out": token, "ended by itself from the list": own.Session, "signed in anew": replaced, "unknown": secret.Token(), "malformed": "x",
	} {
		for _, path := range []string{"/auth/account", "/auth/signin", "/auth/api/session"} {
			stranger := visit(s)
			stranger.SetCookie("session", value)
			p := stranger.Open(path)
			if p.StatusCode == 200 && stranger.reads(p).Notice != "" || stranger.Cookie("session") != value {
				t.Errorf("%s, %s: told %s, with the cookie %q", name, path, p.Body, stranger.Cookie("session"))
			}
			if strings.HasPrefix(path, "/auth/api/") && !strings.Contains(p.Body, `"code":"session.required"`) {
				t.Errorf("%s: %s", name, p.Body)
			}
		}
	}
}
