package screens_test

import (
	"net/url"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/server/screens"
)

// If registration is closed, no screen offers it, and the form says so before
// the visitor types anything.
func TestSignUp_Closed(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config) { c.SignUp.Mode = "closed" })
	v := visit(s)
	if b := v.opens("/auth/signin"); b.Settings.SignUp != "" {
		t.Error("the sign-in page offers to register")
	}
	typed := url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "confirm_password": {apptest.Password}}
	for how, b := range map[string]screens.Boot{
		"opened": v.opens("/auth/signup?return_to=%2Freports"),
		"posted": v.reads(v.Send("/auth/signup?return_to=%2Freports", typed)),
	} {
		if b.Status != 403 || b.Screen != "error" || b.Title != "Sign-up is closed" || b.Detail == "" ||
			b.Next != "/auth/signin?return_to=%2Freports" || b.Errors.RequestID != "" {
			t.Errorf("%s: %+v", how, b)
		}
	}
	if p := v.Send("/auth/api/signup", typed); p.StatusCode != 403 {
		t.Errorf("the API answers %d", p.StatusCode)
	}
	if b := visit(apptest.Start(t)).opens("/auth/signin"); b.Settings.SignUp != "yes" {
		t.Error("the sign-in page does not offer to register")
	}
}
