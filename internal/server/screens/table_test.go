package screens_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
)

// A browser without script has the address of a form in its address bar after a
// refusal. Opening it leads to the page of the form.
func TestForm_OpenedLeadsToItsPage(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	v.navigates()
	v.Header.Set("Sec-Fetch-Site", "none") // from the address bar
	for form, page := range map[string]string{
		"/auth/account/profile/picture":        "/auth/account/profile",
		"/auth/account/profile/picture/remove": "/auth/account/profile",
		"/auth/account/profile/undo":           "/auth/account/profile",
		"/auth/account/addresses/primary":      "/auth/account/addresses",
		"/auth/account/password/remove":        "/auth/account/password",
		"/auth/account/passkeys/rename":        "/auth/account/passkeys",
		"/auth/account/providers/disconnect":   "/auth/account/providers",
		"/auth/account/factors/add":            "/auth/account/factors",
		"/auth/account/factors/saved?flow=f":   "/auth/account/factors?flow=f",
		"/auth/verify-code/resend?flow=f":      "/auth/verify-code?flow=f",
		"/auth/confirm-link/anew":              "/auth/confirm-link",
		"/auth/confirm-link/resend":            "/auth/confirm-link",
		"/auth/mfa/restart?flow=f":             "/auth/mfa?flow=f",
		"/auth/terms/refuse?flow=f":            "/auth/terms?flow=f",
		"/auth/protect/later?flow=f":           "/auth/protect?flow=f",
		"/auth/protect/restart?flow=f":         "/auth/protect?flow=f",
		"/auth/keep/drop?flow=f":               "/auth/keep?flow=f",
	} {
		v.leads(v.Open(form), page)
	}
	for _, path := range []string{"/auth/account/profile/nothing", "/auth/terms/nothing"} {
		if p := v.Open(path); p.StatusCode != 404 {
			t.Errorf("%s, the address of no form: %d", path, p.StatusCode)
		}
	}
	for _, path := range []string{"/auth/api/terms/refuse", "/auth/api/mfa/restart"} {
		if p := v.Open(path); p.StatusCode != 405 {
			t.Errorf("%s, which has no page: %d", path, p.StatusCode)
		}
	}
}

// After a refused form without script, the page has the address of that form. The language
// menu leads back to the page, and so does a reload.
func TestForm_RefusedLeadsBackToItsPage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	page := v.Send("/auth/signup", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "confirm_password": {apptest.Password}}).Next()
	_, id, _ := strings.Cut(page, "flow=")
	resend := "/auth/verify-code/resend?flow=" + id
	if b := v.reads(v.Send(resend, url.Values{"flow": {id}})); b.Status != 429 || b.Here != page || b.Flow.ID != id || b.Errors.Form == "" {
		t.Errorf("too early: %d at %s for the flow %s, said %q", b.Status, b.Here, b.Flow.ID, b.Errors.Form)
	}
	v.leads(v.Open(resend), page)
}
