package screens_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
)

// mailedCode waits for the next email with a code.
func mailedCode(s *apptest.Site) (code string) {
	for code == "" {
		code = s.NextMail().Data["code"]
	}
	return code
}

// A step that a change of the account has ended says so, and leads to a new sign-in for the
// same page.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config) { c.Legal.Terms, c.Legal.TermsVersion = "https://portico.test/terms", "1" })
	s.Person("mara@example.org")
	credentials := url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {"/auth/account/profile"}}
	accept := func(v visitor, page string) apptest.Page {
		return v.Send("/auth/terms", url.Values{"flow": {v.opens(page).Flow.ID}, "terms": {"1"}})
	}
	stranger, owner := visit(s), visit(s)
	waits := stranger.Send("/auth/signin", credentials).Next()
	id := stranger.opens(waits).Flow.ID
	owner.leads(accept(owner, owner.Send("/auth/signin", credentials).Next()), "/auth/account/profile")
	owner.enrols()
	stranger.leads(stranger.Send("/auth/terms", url.Values{"flow": {id}, "terms": {"1"}}), waits)
	b := stranger.opens(waits)
	if b.Screen != "error" || b.Status != 404 || b.Title != "Your account has changed" || b.Errors.RequestID != "" {
		t.Errorf("the page says %d %q", b.Status, b.Title)
	}
	if b = stranger.opens(b.Next); b.Screen != "signin" || b.Values.Email != "mara@example.org" || b.ReturnTo != "/auth/account/profile" || b.Flow.ID != "" {
		t.Errorf("the page leads to %s with %+v and %s", b.Screen, b.Values, b.ReturnTo)
	}
	if to := stranger.Send("/auth/signin", credentials).Next(); !strings.HasPrefix(to, "/auth/mfa?flow=") {
		t.Errorf("the new sign-in leads to %s", to)
	}
}

// A session without the second factor does not end the change of an address that another one has
// begun. The page leads to the factor and back, and the same code works then.
func TestOvertaken_TheCodeWaitsForAProof(t *testing.T) {
	t.Parallel()
	s, owner := person(t)
	app := owner.enrols()
	v := visit(s)
	credentials := url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}}
	give := func(page, more string) string {
		s.Clock.Advance(time.Minute)
		return v.Send("/auth/mfa", url.Values{"flow": {v.opens(page).Flow.ID}, "code": {app.At(s.Clock.Now())}, "return_to": {more}, "trust": {"yes"}}).Next()
	}
	give(v.Send("/auth/signin", credentials).Next(), "")
	account := v.opens("/auth/account/addresses").Session.ID
	page := v.Send("/auth/account/addresses", url.Values{"account": {account}, "email": {"new@example.org"}}).Next()
	code := mailedCode(s)
	sessions, err := s.Operator.UserSessions(t.Context(), account)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("%d sessions (%v)", len(sessions), err)
	}
	if err := s.Operator.EndUserSession(t.Context(), flow.ByOperator, sessions[0].ID); err != nil {
		t.Fatal(err)
	}
	v.leads(v.Send("/auth/signin", credentials), "/auth/account") // the browser is trusted
	asked := "/auth/mfa?return_to=" + url.QueryEscape(page)
	verify := url.Values{"flow": {strings.TrimPrefix(page, "/auth/verify-code?flow=")}, "code": {code}}
	v.leads(v.Open(page), asked)
	v.leads(v.Send("/auth/verify-code", verify), page)
	if to := give(asked, page); to != page {
		t.Errorf("the second factor leads to %s", to)
	}
	v.leads(v.Send("/auth/verify-code", verify), "/auth/account/addresses")
}

// The setup of an app that was overtaken says so on the page of the factors.
func TestOvertaken_TheSetupOfAnApp(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	account := v.opens("/auth/account/factors").Session.ID
	page := v.Send("/auth/account/factors/add", url.Values{"account": {account}}).Next()
	b := v.opens(page)
	v.enrols()
	v.leads(v.Send("/auth/account/factors", url.Values{"flow": {b.Flow.ID}, "code": {"000000"}}), page)
	if b := v.opens(page); b.Factors.State != "list" || !strings.HasPrefix(b.Notice, "How you sign in to this account has changed") {
		t.Errorf("the page shows %s, and says %q", b.Factors.State, b.Notice)
	}
}

// After the right code, the page of a recovery that a new password has ended says so, and leads to
// a new one for the same address. So does the page of another address, without a session.
func TestOvertaken_ACode(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	account := v.opens("/auth/account/addresses").Session.ID
	stranger := visit(s)
	page := stranger.Send("/auth/forgot-password", url.Values{"email": {"mara@example.org"}}).Next()
	code := mailedCode(s)
	verify := v.Send("/auth/account/addresses", url.Values{"account": {account}, "email": {"new@example.org"}}).Next()
	mailedCode(s)
	owner := visit(s)
	owner.SignIn("mara@example.org")
	form := passwordForm(owner.opens("/auth/account/password").Session.ID)
	owner.leads(owner.Send("/auth/account/password", form), "/auth/account/password")

	id := strings.TrimPrefix(page, "/auth/verify-code?flow=")
	stranger.leads(stranger.Send("/auth/verify-code", url.Values{"flow": {id}, "code": {code}}), page)
	b := stranger.opens(page)
	if b.Screen != "error" || b.Title != "Your account has changed" {
		t.Fatalf("the page is %s %q", b.Screen, b.Title)
	}
	if b = stranger.opens(b.Next); b.Screen != "forgot-password" || b.Values.Email != "mara@example.org" {
		t.Errorf("it leads to %s with %q", b.Screen, b.Values.Email)
	}
	v.leads(v.Open(verify), "/auth/signin?return_to="+url.QueryEscape(verify))
	v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {form.Get("password")}})
	if b = v.opens(verify); b.Title != "Your account has changed" {
		t.Fatalf("after the sign-in the page says %q", b.Title)
	}
	if b = v.opens(b.Next); b.Screen != "account-addresses" || b.Values.Email != "new@example.org" {
		t.Errorf("it leads to %s with %q", b.Screen, b.Values.Email)
	}
}
