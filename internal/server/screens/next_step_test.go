package screens_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/flow"
)

// signUp begins a registration and returns the page that waits for its code.
func signUp(v visitor, email string) (waits string) {
	v.Helper()
	return v.Send("/auth/signup", url.Values{"email": {email}, "password": {apptest.Password}, "confirm_password": {apptest.Password}}).Next()
}

// The code page without a flow redirects to the flow that this browser waits
// in. Without any, the page makes no claim.
func TestVerifyCode_WithoutAFlow(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	if b := v.opens("/auth/verify-code"); b.Flow.ID != "" || b.Status != 200 {
		t.Errorf("a browser that waits for nothing: %+v", b.Flow)
	}
	waits := signUp(v, "mara@example.org")
	v.leads(v.Open("/auth/verify-code"), waits)

	_, flow, _ := strings.Cut(waits, "flow=")
	v.leads(v.Send("/auth/verify-code", url.Values{"flow": {flow}, "code": {s.NextMail().Data["code"]}}), "/auth/account")
	if b := v.opens("/auth/verify-code"); b.Flow.ID != "" {
		t.Errorf("after the code was used the page still waits in %+v", b.Flow)
	}
	other := visit(s)
	other.SetCookie("flow", flow)
	if b := other.opens("/auth/verify-code"); b.Flow.ID != "" {
		t.Errorf("another browser is led to %+v", b.Flow)
	}
}

// The link of an invitation leads to its form, also in a browser whose sign-in as somebody else waits for a second step.
func TestSignUp_InvitedBesideASignIn(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	v.enrols()
	v.Send("/auth/signout", nil)
	waits := v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}}).Next()
	v.leads(v.Open("/auth/signup"), waits)
	if _, err := s.Operator.Invite(t.Context(), flow.ByOperator, "kim@example.org", flow.Draft{}); err != nil {
		t.Fatal(err)
	}
	link := ""
	for link == "" {
		if m := s.NextMail(); m.To == "kim@example.org" {
			link = mailedLink(s, m)
		}
	}
	form := v.Open(v.Open(link).Next()).Next()
	if b := v.opens(form); b.Link.Email != "kim@example.org" {
		t.Errorf("%s leads to %+v", form, b)
	}
}

// A truncated link offers the code of the same email, in the browser that
// requested it.
func TestConfirmLink_MalformedOffersTheCode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	waits := signUp(v, "mara@example.org")
	for who, want := range map[*visitor]string{&v: waits, {s.Browser()}: "/auth/verify-code?flow="} {
		who.Open("/auth/confirm-link?token=half-of-it")
		if b := who.opens("/auth/confirm-link"); b.Link.State != "malformed" || "/auth/verify-code?flow="+b.Flow.ID != want {
			t.Errorf("%s with the flow %q, want %s", b.Link.State, b.Flow.ID, want)
		}
	}
}

// Mail programs and people add a full stop or a bracket to a link, or what they left of the text around it.
func TestConfirmLink_EndsWithItsToken(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	v := visit(s)
	v.Send("/auth/forgot-password", url.Values{"email": {"mara@example.org"}})
	link := mailedLink(s, s.NextMail())
	for _, more := range []string{".", ")", "%3E", ">", ",", ";", "%22", "%E2%80%9D", "%20", "%E2%80%8B", ").", "&x=y", "#x"} {
		v.Open(link + more)
		if b := v.opens("/auth/confirm-link"); b.Link.State != "ready" {
			t.Errorf("%s: %s", more, b.Link.State)
		}
	}
	for _, more := range []string{"x", "-", "_"} {
		v.Open(link + more)
		if b := v.opens("/auth/confirm-link"); b.Link.State != "malformed" {
			t.Errorf("%s: %s", more, b.Link.State)
		}
	}
}

// If an expired link cannot be sent again, the page offers a way to a new one.
func TestConfirmLink_ExpiredForGood(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	v := visit(s)
	v.Send("/auth/forgot-password", url.Values{"email": {"mara@example.org"}})
	v.Open(mailedLink(s, s.NextMail()))
	s.Clock.Advance(50 * time.Minute)
	if b := v.opens("/auth/confirm-link"); b.Link.State != "expired" || b.Link.Kind != "recovery" || b.Link.Address == "" {
		t.Errorf("while its flow is open: %+v", b.Link)
	}
	s.Clock.Advance(2 * time.Hour)
	if b := v.opens("/auth/confirm-link"); b.Link.State != "expired" || b.Link.Kind != "recovery" || b.Link.Address != "" {
		t.Errorf("after its flow has ended: %+v", b.Link)
	}
}

// A used link lets a signed-in user continue.
func TestConfirmLink_UsedGoesOn(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	signUp(v, "mara@example.org")
	link := mailedLink(s, s.NextMail())
	v.Open(link)
	v.leads(v.Send("/auth/confirm-link", nil), "/auth/account")
	for who, want := range map[*visitor]string{&v: "/auth/account", {s.Browser()}: ""} {
		who.Open(link)
		if b := who.opens("/auth/confirm-link"); b.Link.State != "used" || b.Next != want || (b.Detail != "") != (want != "") {
			t.Errorf("%s, goes on to %q, says %q", b.Link.State, b.Next, b.Detail)
		}
	}
}

// Success is announced once, on the next page only.
func TestSuccess_IsSaidOnce(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	once := func(page, want string) {
		t.Helper()
		if b := v.opens(page); b.Success != want {
			t.Errorf("%s says %q, want %q", page, b.Success, want)
		}
		if b := v.opens(page); b.Success != "" {
			t.Errorf("%s says %q again", page, b.Success)
		}
	}
	waits := signUp(v, "mara@example.org")
	_, flow, _ := strings.Cut(waits, "flow=")
	once(waits, "")
	digits := s.NextMail().Data["code"]
	s.Clock.Advance(31 * time.Second)
	v.leads(v.Send("/auth/verify-code/resend", url.Values{"flow": {flow}}), waits)
	once(waits, "New code sent.")
	v.leads(v.Send("/auth/verify-code", url.Values{"flow": {flow}, "code": {digits}}), "/auth/account")
	once("/auth/account", "You're verified. Your account is ready.")
	s.NextMail() // the second code

	flow = proven(v, "mara@example.org")
	form := url.Values{"flow": {flow}, "password": {"tram lemon kite"}, "confirm_password": {"tram lemon kite"}}
	v.leads(v.Send("/auth/reset-password", form), "/auth/account")
	once("/auth/account", "Password changed. You've been signed out everywhere else.")

	v.Send("/auth/signout", nil)
	v.SetCookie("done", "sent")
	v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {"tram lemon kite"}})
	once("/auth/account", "")
}

// After the last guess, the page has no field for another code.
func TestVerifyCode_UsedUpWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	waits := signUp(v, "mara@example.org")
	_, flow, _ := strings.Cut(waits, "flow=")
	wrong := "000000"
	if s.NextMail().Data["code"] == wrong {
		wrong = "000001"
	}
	for range 4 {
		if b := v.reads(v.Send("/auth/verify-code", url.Values{"flow": {flow}, "code": {wrong}})); b.Flow.State != "code" {
			t.Fatalf("too early: %+v", b.Flow)
		}
	}
	v.leads(v.Send("/auth/verify-code", url.Values{"flow": {flow}, "code": {wrong}}), waits)
	if b := v.opens(waits); b.Flow.State != "used_up" || b.Errors.Form != "" {
		t.Errorf("%+v, %q", b.Flow, b.Errors.Form)
	}
}

// A link cannot make the error page say something about an account or a
// registration.
func TestError_RepeatsNoCodeOfALink(t *testing.T) {
	t.Parallel()
	v := visit(apptest.Start(t))
	for _, code := range []string{"account.disabled", "signup.taken", "signup.closed", "flow.conflict", "provider.rejected"} {
		if b := v.opens("/auth/error?code=" + code); b.Title != "Page not found" {
			t.Errorf("%s: %s, %s", code, b.Title, b.Detail)
		}
	}
}

// The title of a page says what happened.
func TestTitle_SaysWhatHappened(t *testing.T) {
	t.Parallel()
	v := visit(apptest.Start(t))
	if b := v.opens("/auth/verify-code?flow=x"); b.Title != "This request has expired" {
		t.Errorf("a flow that is not open: %s", b.Title)
	}
}

// A missing page leads a signed-in user to the account and not to the sign-in page.
func TestError_LeadsASignedInUserToTheAccount(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	for who, want := range map[*visitor]string{&v: "/auth/account", {s.Browser()}: "/auth/signin"} {
		if b := who.opens("/auth/nothing"); b.Status != 404 || b.Next != want {
			t.Errorf("%d, %q leads to %s, want %s", b.Status, b.NextLabel, b.Next, want)
		}
	}
}

// The next page, which may be an app's, does not learn the id of the flow.
func TestReferrer_KeepsTheFlow(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	waits := signUp(v, "mara@example.org")
	s.NextMail()
	for page, want := range map[string]string{waits: "strict-origin", "/auth/signin": "same-origin"} {
		if got := v.Open(page).Header.Get("Referrer-Policy"); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}
