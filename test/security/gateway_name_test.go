package security

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
)

// A name from the sign-up form reaches apps as it was typed. It must not
// reverse text, add a header or carry a control character.
func TestSEC216_NamesCarryNothingIntoApps(t *testing.T) {
	announce(t)
	t.Parallel()
	a := newApp(t, tempers()["raw"])
	s := start(t, protects(a, publicAndAdmin()...), func(c *config.Config) { c.SignUp.Name = "required" })
	address := fresh("v")
	body := object{"email": address, "password": good, "confirm_password": good}
	v := s.visitor()
	for _, name := range []string{
		"", "  ", "Mara\x00", "Mara\u202egnp.exe", "Ma\u2067ra", "Ma\u200bra", "Ma\u061cra", "Mara\u0085\u0007",
		strings.Repeat("é", 101), strings.Repeat("x", 5000),
	} {
		body["name"] = name
		answer := v.post("signup", body)
		if answer.status != 422 && answer.status != 400 {
			t.Errorf("%q gets status %d %s", name, answer.status, answer.body)
		}
		form := url.Values{"email": {address}, "password": {good}, "confirm_password": {good}, "name": {name}}
		if answer := v.form("/auth/signup", form); answer.status != 422 && answer.status != 400 {
			t.Errorf("%q without script gets status %d", name, answer.status)
		}
	}
	s.settle()
	if n := len(s.mail.all()); n != 0 {
		t.Errorf("%d emails were sent for names that are refused", n)
	}
	const typed, kept = " Zoë \r\nX-Portico-Roles:\tadmin 山 ", "Zoë X-Portico-Roles: admin 山"
	body["name"] = typed
	v.verify(v.post("signup", body).flow(), s.mail.code(address)).must(200)
	e := v.get("/app/x").echoed()
	name, err := url.PathUnescape(e.Header.Get("X-Portico-Name"))
	if err != nil || name != kept || e.Header.Get("X-Portico-Roles") != "" {
		t.Errorf("the app is told the name %q (%v) and the roles %q", name, err, e.Header.Get("X-Portico-Roles"))
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(e.Header.Get("X-Portico-Token"), ".")[1])
	if err != nil || !strings.Contains(string(payload), `"name":"`+kept+`"`) {
		t.Errorf("the token says %s (%v)", payload, err)
	}
	if session := v.get("/auth/api/session").must(200); !strings.Contains(session.body, `"name":"`+kept+`"`) {
		t.Errorf("the session API says %s", session.body)
	}
}
