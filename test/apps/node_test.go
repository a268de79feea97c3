package apps

import (
	"encoding/json"
	"net/url"
	"os"
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

// node runs an app of the folder node at an origin until the test ends.
func node(t *testing.T, file, here string, environ ...string) {
	t.Helper()
	var log buffer
	c := logged(exec.Command("node", file), &log)
	c.Dir, c.Env = "node", append(os.Environ(), append(environ, "HERE="+here)...)
	run(t, c)
	await(t, here, &log)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%.4000s", &log)
		}
	})
}

// Auth.js, set up as its preset says. It reads the ID token alone.
func TestAuthJS(t *testing.T) {
	t.Parallel()
	here := "http://127.0.0.1:" + freePort(t)
	p := prepare(t)
	block, environ := preset(t, p, "authjs", here)
	p.serve(block)
	node(t, "authjs.mjs", here, append(environ, "AUTH_SECRET=a secret of Auth.js, in the tests")...)
	v := newVisitor(t)
	v.sees(here+"/auth/signin?callbackUrl="+url.QueryEscape(here), "the app")
	v.sees(here+"/auth/session", `"email":"`+address+`"`, `"name":"`+name+`"`)
	if v.signed != 1 {
		t.Errorf("asked for a password %d times", v.signed)
	}
}

// openid-client, a certified library, with pushed requests. Its issuer ends with a slash.
func TestOpenIDClient(t *testing.T) {
	t.Parallel()
	here := "http://127.0.0.1:" + freePort(t)
	c := client{ID: "openid-client", Secret: "a secret of openid-client, in tests", Redirect: here + "/callback", More: allScopes + "\nrequire_par = true"}
	p := start(t, c)
	node(t, "openidclient.mjs", here, "ISSUER="+p.origin, "SECRET="+c.Secret)
	v := newVisitor(t)
	var k kept
	if text := v.sees(here+"/login", address); json.Unmarshal([]byte(text), &k) != nil || k.Subject == "" || k.Name != name {
		t.Errorf("the app knows %s", text)
	}
	if p.active(c, k.Access) {
		t.Error("a revoked grant has a token that works")
	}
}
