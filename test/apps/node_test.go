package apps

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// Two apps in Node: passport-openidconnect, and Auth0's certified express-openid-connect.
// Each refreshes its token and signs out.
func TestNode(t *testing.T) {
	t.Parallel()
	const secret = "a secret of the apps in Node, in the tests"
	passport, express := "http://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t)
	p := start(t,
		client{ID: "passport", Secret: secret, Redirect: passport + "/callback", Logout: passport + "/", More: allScopes + "\npkce = false"},
		client{ID: "express", Secret: secret, Redirect: express + "/callback", Logout: express, More: allScopes + "\nid_token_alg = \"RS256\""},
	)
	var log buffer
	c := exec.Command("node", "apps.mjs")
	c.Dir, c.Stdout, c.Stderr = "node", &log, &log
	c.Env = append(c.Environ(), "ISSUER="+p.origin, "PASSPORT="+passport, "EXPRESS="+express, "SECRET="+secret)
	run(t, c)
	await(t, express, &log)
	v := newVisitor(t)
	var first, second struct {
		kept
		Same bool
	}
	for target, k := range map[string]any{passport + "/login": &first, express + "/login": &second} {
		if text := v.sees(target, address); json.Unmarshal([]byte(text), k) != nil {
			t.Fatal(text)
		}
	}
	if first.Subject == "" || first.Subject != second.Subject || first.Name != name || second.Name != name || v.signed != 1 {
		t.Errorf("the apps know %+v and %+v, after %d passwords", first, second, v.signed)
	}
	for i, k := range []struct {
		origin string
		same   bool
		kept
	}{{passport, first.Same, first.kept}, {express, second.Same, second.kept}} {
		if k.same || k.Access == "" {
			t.Errorf("%s refreshed: %+v", k.origin, k)
		}
		v.sees(k.origin+"/logout", "signed out of the app")
		if v.sees(k.origin+"/login", address); v.signed != i+2 {
			t.Errorf("after signing out of %s, asked for a password %d times", k.origin, v.signed)
		}
	}
}
