package security

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/config"
)

// The operator does what the README says: init, then an app with its rules. No answer but yes
// lets a stranger in, by whatever way. After a yes, the check of the settings says so.
func TestSEC353_StrangersGetInOnlyAfterAYes(t *testing.T) {
	announce(t)
	t.Parallel()
	rules := "\nupstream = \"http://127.0.0.1:3000\"\nrules = [\"public GET /static/*\", \"role:admin /admin/*\", \"signed-in /*\"]\n"
	for answer, open := range map[string]bool{"": false, "--sign-up=no": false, "--sign-up=yes": true} {
		dir := t.TempDir()
		out := command(t, dir, nil, append([]string{
			"init", "--public-url=https://portico.test", "--smtp-url=smtp://127.0.0.1:1?tls=none", "--mail-from=no-reply@portico.test",
			"--admin=mara@x.test", "--proxy=none",
		}, strings.Fields(answer)...)...)
		file := filepath.Join(dir, "portico.toml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("init prints %s", out)
		}
		writeFile(t, file, string(text)+rules)
		told := command(t, dir, nil, "config", "check")
		if strings.Contains(told, "(signed-in /*) sign-up is open") != open || !strings.Contains(told, "the configuration is complete") {
			t.Errorf("with %q, config check says %s", answer, told)
		}
		written, err := config.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, app := newIDP(t), newApp(t, tempers()["raw"])
		s := start(t, p.at("acme", true), protects(app, written.App.Rules...), func(c *config.Config) { c.SignUp = written.SignUp })
		p.site = s
		enters := map[string]func(v *visitor){
			"a password": func(v *visitor) {
				address := fresh("stranger")
				if a := v.post("signup", object{"email": address, "password": good, "confirm_password": good}); a.status == 200 {
					v.verify(a.flow(), v.mail.next(address).code(t))
				}
			},
			"a passkey": func(v *visitor) {
				address := fresh("stranger")
				if a := v.post("signup", object{"email": address, "passkey": "yes"}); a.status == 200 {
					v.verify(a.flow(), v.mail.next(address).code(t))
				}
			},
			"a provider": func(v *visitor) {
				v.continueWith(p.says(object{"sub": fresh("s"), "email": fresh("stranger"), "email_verified": true}))
			},
		}
		for way, enter := range enters {
			accounts, v := s.count(`SELECT COUNT(*) FROM account`), s.visitor()
			enter(v)
			made := s.count(`SELECT COUNT(*) FROM account`) - accounts
			reached := v.get("/private").status == 200
			if open != (made == 1) || open != reached && way != "a passkey" { // whose owner makes it first
				t.Errorf("with %q and %s: %d accounts, reached the app: %v", answer, way, made, reached)
			}
		}
	}
}

// A sign-up waits for its code when the operator closes sign-up. Its pages say so, and offer no
// form that can only fail.
func TestSEC353_ClosedWhileASignUpWaits(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, address := s.visitor(), fresh("late")
	flow := v.post("signup", object{"email": address, "password": good, "confirm_password": good}).must(200).flow()
	mail := v.mail.next(address)
	s.follows(func(c *config.Config) { c.SignUp.Mode = "closed" })
	v.get("/auth/confirm-link?token=" + mail.token(t)) // takes the link into a cookie
	for what, a := range map[string]*answer{
		"the page of the code": v.get("/auth/verify-code?flow=" + flow),
		"the page of the link": v.get("/auth/confirm-link"),
		"the code":             v.form("/auth/verify-code", url.Values{"flow": {flow}, "code": {mail.code(t)}}),
		"the link":             v.form("/auth/confirm-link", url.Values{}),
	} {
		if a.status != 403 || !strings.Contains(a.body, "Sign-up is closed") || strings.Contains(a.body, "<input") {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM account`); n != 0 {
		t.Errorf("%d accounts", n)
	}
}
