package security

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
)

// TestSEC171 runs every way there is with secrets that can be recognised, at
// debug level and with failures on the way, and looks for them in everything
// that is written.
func TestSEC171_NoSecretIsWritten(t *testing.T) {
	t.Parallel()
	s, p := startWithIDP(t, true, func(c *config.Config) {
		c.SMTPURL = strings.Replace(c.SMTPURL, "smtp://", "smtp://canary-user:canary-smtp-password-93@", 1)
	})
	secrets := s.journey()
	codes := []string{secrets["sign-up code"], secrets["reset code"]}
	delete(secrets, "sign-up code")
	delete(secrets, "reset code")

	// An external provider, its refusals and its secrets.
	v := s.visitor()
	v.continueWith(p.says(object{"email": fresh("n"), "email_verified": true}))
	w := s.visitor()
	request := w.leave("acme", nil)
	answer := p.approve(request)
	secrets["provider code"] = answer.Get("code") + "-canary"
	answer.Set("code", secrets["provider code"])
	w.callback("acme", answer) // the provider refuses it
	p.says(object{"nonce": "canary-nonce-94"})
	x := s.visitor()
	x.continueWith(p)
	secrets["nonce"], secrets["client secret"], secrets["access token"], secrets["SMTP password"] = "canary-nonce-94", clientSecret, "canary-access-token-92", "canary-smtp-password-93"
	secrets["verifier"] = p.posted.Get("code_verifier")
	secrets["provider session"] = v.cookie("session")

	// Malformed and refused requests with secrets in every place.
	y := s.visitor()
	const typed = "canary-typed-password-95"
	secrets["typed password"] = typed
	y.do("POST", "/auth/api/signin", `{"password":"`+typed+`","x":"`+typed+`"`, y.ours("application/json"))
	y.do("POST", "/auth/api/signin", `{"email":"a@x.test","`+typed+`":"x"}`, y.ours("application/json"))
	y.do("POST", "/auth/api/signin", `{"email":"`+typed+`","password":"x"}`, http.Header{"Origin": {"https://evil.test"}})
	y.get("/auth/signin?password=" + typed + "&token=" + typed)
	y.get("/auth/" + typed)
	y.get("/auth/confirm-link?token=" + typed)
	y.do("GET", "/auth/api/session", "", http.Header{"Authorization": {"Bearer " + typed}, "Cookie": {y.cookieName("session") + "=" + typed}})
	y.do("POST", "/auth/api/csp-report", `{"csp-report":{"document-uri":"`+typed+`","effective-directive":"`+typed+`"}}`, http.Header{"Content-Type": {"application/csp-report"}})
	y.form("/auth/provider/acme/start", url.Values{"return_to": {"/" + typed}, "flow": {typed}})
	s.breakStore()
	y.post("signin", object{"email": "a@x.test", "password": typed})
	y.form("/auth/signup", url.Values{"email": {"n@x.test"}, "password": {typed}, "confirm_password": {typed}})

	for name, value := range canaries(secrets) {
		if len(value) < 8 {
			t.Errorf("the %s is %q: nothing to look for", name, value)
			continue
		}
		if strings.Contains(s.log.String(), value) || strings.Contains(s.log.String(), url.QueryEscape(value)) {
			t.Errorf("the log holds the %s", name)
		}
		for _, l := range s.mail.all() {
			head, _, _ := strings.Cut(l.raw, "\r\n\r\n")
			if strings.Contains(head, value) {
				t.Errorf("the header of a mail holds the %s", name)
			}
		}
	}
	for _, code := range codes {
		if strings.Contains(s.log.String(), `"`+code+`"`) || strings.Contains(s.log.String(), "="+code) {
			t.Error("the log holds a code")
		}
	}
	if !strings.Contains(s.log.String(), `"level":"DEBUG"`) && !strings.Contains(s.log.String(), `"level":"ERROR"`) {
		t.Error("the log is not at debug level, or nothing failed")
	}
}
