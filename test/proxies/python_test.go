package proxies

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
)

// driver verifies tokens and prints the results, and then tries the middleware.
const driver = `
import sys
import portico

def say(environ, start_response):
    start_response("200 OK", [])
    return [(environ["portico"] or {"sub": "nobody"})["sub"].encode()]

application = portico.Portico(say)

def visit(token):
    environ = {"HTTP_X_PORTICO_TOKEN": token} if token else {}
    status = []
    body = b"".join(application(environ, lambda s, h: status.append(s)))
    return status[0].split()[0] + " " + body.decode().strip()

for line in sys.stdin:
    name, _, token = line.strip().partition(" ")
    print(name, visit(token), flush=True)
`

// The code of the page for Python accepts valid tokens and refuses the others.
func TestPython(t *testing.T) {
	t.Parallel()
	const binary = "/usr/bin/python3" // Debian's Python has the library
	if err := exec.Command(binary, "-c", "import cryptography, jwt").Run(); err != nil {
		t.Skip("there is no PyJWT: run tools/proxies")
	}
	site := apptest.Start(t)
	site.Clock.Advance(time.Since(site.Clock.Now()))
	if err := site.Operator.FollowKeys(t.Context()); err != nil { // the server makes the first key soon after its start
		t.Fatal(err)
	}
	p := &place{T: t, dir: t.TempDir(), site: site}
	p.write(filepath.Join(p.dir, "portico.py"), strings.Replace(page(t, "python.md", "python"), "https://example.com", site.Origin, 1))

	sign := func(typ string, changed map[string]any) string {
		now := time.Now()
		claims := map[string]any{"iss": site.Origin, "aud": "app", "sub": "mara", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}
		for name, value := range changed {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
		token, _, err := site.Keys.Sign(claims, typ)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	good := sign("JWT", nil)
	part := strings.Split(good, ".")
	ago := time.Now().Add(-time.Minute).Unix()
	var lines, want []string
	for _, test := range []struct{ name, token, want string }{
		{"good", good, "200 mara"}, {"none", "", "200 nobody"}, {"nonsense", "x.y.z", "401"}, {"twice", good + "," + good, "401"},
		{"issuer", sign("JWT", map[string]any{"iss": "https://evil.test"}), "401"}, {"audience", sign("JWT", map[string]any{"aud": "shop"}), "401"},
		{"audiences", sign("JWT", map[string]any{"aud": []string{"app", "shop"}}), "401"}, {"over", sign("JWT", map[string]any{"exp": ago}), "401"},
		{"endless", sign("JWT", map[string]any{"exp": nil}), "401"}, {"nobody", sign("JWT", map[string]any{"sub": nil}), "401"},
		{"type", sign("at+jwt", nil), "401"}, {"unsigned", part[0] + "." + part[1] + ".", "401"}, {"forged", part[0] + "." + part[1] + "." + strings.Repeat("A", 86), "401"},
		{"alg", "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + part[1] + ".", "401"},
		{"unknown", "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Im5vIn0." + part[1] + "." + part[2], "401"},
	} {
		lines, want = append(lines, test.name+" "+test.token), append(want, test.name+" "+test.want)
	}
	command := exec.Command(binary, p.write(filepath.Join(p.dir, "driver.py"), driver))
	command.Dir, command.Stdin = p.dir, strings.NewReader(strings.Join(lines, "\n")+"\n")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s: %q", want[i], got[min(i, len(got)-1)])
		}
	}
}
