package security

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/telemetry/otlp/otlptest"
)

// TestSEC171 uses all flows with secrets that it can recognize, at debug level
// and with failures in between. Then it looks for the secrets in emails, logs,
// figures and traces.
func TestSEC171_NoSecretIsWritten(t *testing.T) {
	announce(t)
	t.Parallel()
	collector := otlptest.New(t)
	s, p := startWithIDP(t, true, func(c *config.Config) {
		c.Tracing.Endpoint, c.Tracing.Header = collector.URL, "X-Key: canary-tracing-key-96"
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
	w.callback("acme", answer) // the provider refuses this one
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

	figures := s.figures()
	s.stop() // sends the last traces
	secrets["key of the collector"] = "canary-tracing-key-96"
	told := map[string]string{"log": s.log.String(), "figures": figures, "traces": collector.Raw()}
	for name, value := range canaries(secrets) {
		if len(value) < 8 {
			t.Errorf("the %s is %q: nothing to look for", name, value)
			continue
		}
		for where, text := range told {
			if strings.Contains(text, value) || strings.Contains(text, url.QueryEscape(value)) {
				t.Errorf("the %s: there is the %s", where, name)
			}
		}
		for _, l := range s.mail.all() {
			head, _, _ := strings.Cut(l.raw, "\r\n\r\n")
			if strings.Contains(head, value) {
				t.Errorf("the header of an email holds the %s", name)
			}
		}
	}
	for _, code := range codes {
		if strings.Contains(s.log.String(), `"`+code+`"`) || strings.Contains(s.log.String(), "="+code) {
			t.Error("the log holds a code")
		}
	}
	// Figures and traces must not contain email addresses or client addresses
	// either.
	for where, text := range map[string]string{"figures": figures, "traces": attributes(collector.Spans())} {
		if strings.Contains(text, "@") || strings.Contains(text, "127.0.0.1") || strings.Contains(text, "x.test") {
			t.Errorf("the %s hold an address", where)
		}
	}
	if !strings.Contains(figures, "portico_signins_total") || !saw(collector.Spans(), "flow step", "store write", "password work", "provider call", "mail send") {
		t.Error("there are no figures or no traces to look into")
	}
	if !strings.Contains(s.log.String(), `"level":"DEBUG"`) && !strings.Contains(s.log.String(), `"level":"ERROR"`) {
		t.Error("the log is not at debug level, or nothing failed")
	}
}

// figures returns the metrics of the operations listener.
func (s *site) figures() string {
	s.Helper()
	answer, err := http.Get("http://" + s.ops + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.Fatalf("/metrics answers %d (%v)", answer.StatusCode, err)
	}
	return string(text)
}

// attributes returns the texts in spans, without the names of configured
// provider servers.
func attributes(spans []otlptest.Span) string {
	var b strings.Builder
	for _, s := range spans {
		delete(s.Attributes, "server.address")
		fmt.Fprintln(&b, s.Name, s.Attributes, s.Events)
	}
	return b.String()
}

// saw reports whether spans of all names exist.
func saw(spans []otlptest.Span, names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(spans, func(s otlptest.Span) bool { return s.Name == name }) {
			return false
		}
	}
	return true
}
