package security

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

// An app behind Portico asks for a second factor. The claims of a provider open it
// only as the operator has said.
func TestSEC264_OnlyNamedClaimsCountAsASecondFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	behind := newApp(t, func(*http.Request) string { return "the app" })
	p := newIDP(t)
	s := start(t, p.at("acme", true), protects(behind, "mfa+fresh:1h /fresh", "mfa /*"), func(c *config.Config) {
		c.Providers[0].MFAAMR, c.Providers[0].MFAACR = []string{"mfa", "hwk"}, []string{"gold"}
	})
	p.site = s
	subject := fresh("v")
	enter := func(claims object) *visitor {
		said := object{"sub": subject, "email": subject, "email_verified": true}
		for name, value := range claims {
			said[name] = value
		}
		p.says(said)
		v := s.visitor()
		v.continueWith(p)
		if v.whoami() != subject {
			t.Fatalf("%v does not sign in", claims)
		}
		return v
	}
	now := func(ago time.Duration) int64 { return s.clock.Now().Add(-ago).Unix() }
	for name, claims := range map[string]object{
		"nothing":              {"auth_time": now(0)},
		"an unlisted value":    {"auth_time": now(0), "amr": []string{"otp", "sms", "pwd"}, "acr": "silver"},
		"another spelling":     {"auth_time": now(0), "amr": []string{"MFA", "mfa ", "mfa,hwk"}, "acr": "Gold"},
		"the other claim":      {"auth_time": now(0), "amr": []string{"gold"}, "acr": "mfa"},
		"a text for the list":  {"auth_time": now(0), "amr": "mfa"},
		"a list for the text":  {"auth_time": now(0), "acr": []string{"gold"}},
		"a list in the list":   {"auth_time": now(0), "amr": []any{[]string{"mfa"}}},
		"an object":            {"auth_time": now(0), "amr": object{"mfa": true}},
		"without the time":     {"amr": []string{"mfa"}, "acr": "gold"},
		"a time in the future": {"auth_time": now(-time.Hour), "amr": []string{"mfa"}},
		"another claim":        {"auth_time": now(0), "amr_values": []string{"mfa"}, "mfa": true, "AMR": []string{"mfa"}},
	} {
		if a := enter(claims).get("/page"); a.status == 200 || len(behind.asked()) != 0 {
			t.Errorf("%s opens the app", name)
		}
	}
	p.userinfo = object{"sub": subject, "email": subject, "email_verified": true, "amr": []string{"mfa"}, "acr": "gold"}
	if a := enter(object{"auth_time": now(0), "email": nil}).get("/page"); a.status == 200 {
		t.Error("UserInfo opens the app")
	}
	for name, claims := range map[string]object{
		"a listed amr": {"auth_time": now(2 * time.Hour), "amr": []string{"pwd", "hwk"}},
		"a listed acr": {"auth_time": now(2 * time.Hour), "acr": "gold"},
	} {
		v := enter(claims)
		if a := v.get("/page"); a.status != 200 {
			t.Errorf("%s does not open the app: %d", name, a.status)
		}
		if a := v.get("/fresh"); a.status == 200 {
			t.Errorf("%s of two hours ago is new", name)
		}
	}

	// The account's own factor: it is asked for, and the provider's changes nothing.
	v := enter(object{"auth_time": now(0), "amr": []string{"mfa"}})
	v.enrol()
	w := s.visitor()
	p.says(object{"sub": subject, "email": subject, "email_verified": true, "auth_time": now(0), "amr": []string{"mfa"}})
	if next := w.continueWith(p); !strings.HasPrefix(next, "/auth/mfa?flow=") || w.whoami() != "" {
		t.Errorf("the account's own factor is not asked for: %s", next)
	}
	other, _ := s.holder()
	owner := other.whoami()
	p.says(object{"sub": fresh("x"), "email": owner, "email_verified": true, "auth_time": now(0), "amr": []string{"mfa"}})
	other.callback("acme", p.approve(other.connects()))
	s.clock.Advance(time.Hour)
	x := s.visitor()
	p.claims["auth_time"] = now(0)
	x.continueWith(p)
	if x.whoami() != owner {
		t.Fatal("the connected provider does not sign in")
	}
	if a := x.post("account/passkeys/begin", object{"account": x.id()}); a.status == 200 {
		t.Error("the provider's factor changes an account that has a passkey")
	}
}
