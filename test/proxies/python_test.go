package proxies

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
)

// driver sends tokens through the middleware for WSGI and for ASGI, and prints the answers.
const driver = `
import asyncio, sys
from portico_client import Portico

def wsgi(environ, start_response):
    start_response("200 OK", [])
    return [environ["portico"].id.encode() if environ["portico"] else b"nobody"]

async def asgi(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["portico"].id.encode() if scope["portico"] else b"nobody"})

def by_wsgi(portico, token):
    status = []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", **({"HTTP_X_PORTICO_TOKEN": token} if token else {})}
    body = b"".join(portico.wsgi(wsgi, optional=True)(environ, lambda s, h: status.append(s)))
    return status[0].split()[0], body.decode()

def by_asgi(portico, token):
    sent = []
    async def send(message):
        sent.append(message)
    headers = [(b"x-portico-token", part.encode()) for part in token.split(",") if part]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    asyncio.run(portico.asgi(asgi, optional=True)(scope, None, send))
    return str(sent[0]["status"]), sent[1]["body"].decode()

portico, elsewhere = Portico(sys.argv[1]), Portico(sys.argv[1], address=sys.argv[2])
for line in sys.stdin:
    name, _, token = line.strip().partition(" ")
    at = elsewhere if name == "redirected" else portico
    ways = by_wsgi(at, token), by_asgi(at, token)
    assert ways[0] == ways[1], ways
    print(name, *ways[0], flush=True)
`

const python = "/usr/bin/python3" // Debian's, which has the libraries

// pythonOf returns a command with the client, or skips the test without a library that it needs.
func pythonOf(t *testing.T, libraries string, args ...string) *exec.Cmd {
	t.Helper()
	if err := exec.Command(python, "-c", "import "+libraries).Run(); err != nil {
		t.Skipf("Python has no %s: run tools/proxies", libraries)
	}
	client, err := filepath.Abs("../../clients/python")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, args...)
	command.Env = append(os.Environ(), "PYTHONPATH="+client, "PYTHONDONTWRITEBYTECODE=1")
	return command
}

// The client for Python accepts valid tokens and refuses the others.
func TestPython(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	site.Clock.Advance(time.Since(site.Clock.Now()))              // Python judges tokens by the time of the machine
	if err := site.Operator.FollowKeys(t.Context()); err != nil { // the server makes the first key soon after its start
		t.Fatal(err)
	}
	redirects := httptest.NewServer(http.RedirectHandler(site.Origin+"/.well-known/jwks.json", http.StatusFound))
	t.Cleanup(redirects.Close)
	command := pythonOf(t, "cryptography, jwt", "-c", driver, site.Origin, redirects.URL)
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
		{"good", good, "200 mara"}, {"redirected", good, "503"}, {"none", "", "200 nobody"}, {"nonsense", "x.y.z", "401"}, {"twice", good + "," + good, "401"},
		{"issuer", sign("JWT", map[string]any{"iss": "https://evil.test"}), "401"}, {"audience", sign("JWT", map[string]any{"aud": "shop"}), "401"},
		{"audiences", sign("JWT", map[string]any{"aud": []string{"app", "shop"}}), "401"}, {"over", sign("JWT", map[string]any{"exp": ago}), "401"},
		{"endless", sign("JWT", map[string]any{"exp": nil}), "401"}, {"nobody", sign("JWT", map[string]any{"sub": nil}), "401"},
		{"type", sign("at+jwt", nil), "401"}, {"unsigned", part[0] + "." + part[1] + ".", "401"}, {"forged", part[0] + "." + part[1] + "." + strings.Repeat("A", 86), "401"},
		{"alg", "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + part[1] + ".", "401"},
		{"deep", base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("[", 5<<10))) + "." + part[1] + ".", "401"},
		{"unknown", "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Im5vIn0." + part[1] + "." + part[2], "401"},
	} {
		lines, want = append(lines, test.name+" "+test.token), append(want, test.name+" "+test.want)
	}
	command.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var log strings.Builder
	command.Stderr = &log
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &log)
	}
	for _, why := range []string{
		"the token is from https://evil.test, and this app trusts " + site.Origin, "the token is for shop, and this app is app",
		"cannot fetch " + redirects.URL + "/.well-known/jwks.json, is Portico there? HTTP Error 302",
	} {
		if !strings.Contains(log.String(), why) {
			t.Errorf("nobody is told: %s\n%s", why, &log)
		}
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s: %q", want[i], got[min(i, len(got)-1)])
		}
	}
}

// faults has keys that come slowly or not at all, and a URL with the port that everybody leaves out.
const faults = `
import sys, threading, time
import jwt
from portico_client import Portico, Unavailable, keys

class Slow(keys.Keys):
    now = fetched = 0

    def _fetch(self):
        Slow.now, Slow.fetched = Slow.now + 5, Slow.fetched + 1
        raise Unavailable("slow")

    @staticmethod
    def monotonic():
        return Slow.now

real, keys.time = keys.time, Slow
slow = Slow("https://example.com/", "example.com")
for _ in range(3):  # the second and the third one have waited for the first one
    try:
        slow.get_jwk_set()
    except Unavailable:
        pass
assert Slow.fetched == 1, Slow.fetched
keys.time = real

class Away(keys.Keys):  # Portico answers once
    asked = 0

    def _fetch(self):
        self.asked += 1
        if self.asked > 1:
            self.meanwhile()
            raise Unavailable("away")
        point = {"x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY", "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}
        return jwt.PyJWKSet.from_dict({"keys": [{"kty": "EC", "crv": "P-256", "kid": "key-1", "use": "sig", **point}]})

    def meanwhile(self):
        pass

def finds(kept, kid):
    try:
        return bool(kept.get_signing_key(kid))
    except Unavailable:
        return False

clock, kept = time.monotonic, Away("https://example.com/", "example.com")
began = clock()
for minute, found, asked in (0, True, 1), (2, True, 1), (4, True, 2), (6, True, 3), (14, True, 4), (16, False, 5):
    time.monotonic = lambda: began + 60 * minute
    assert finds(kept, "key-1") == found, minute
    for thread in threading.enumerate():  # it fetches in the background
        if thread is not threading.current_thread():
            thread.join(60)
    assert kept.asked == asked, (minute, kept.asked)
    assert not finds(kept, "key-2") if minute > 5 else True, minute  # a new one, perhaps
time.monotonic = lambda: began
kept, asks = Away("https://example.com/", "example.com"), []
kept.meanwhile = lambda: asks.append(threading.current_thread())
for minute in 0, 6:
    time.monotonic = lambda: began + 60 * minute
    assert finds(kept, "key-1")
assert asks == [threading.current_thread()], asks  # the key may have been revoked since: the request has waited
asking = threading.Event()
kept.meanwhile = lambda: (asks.append(threading.current_thread()), asking.set(), threading.Event().wait(60))
time.monotonic = lambda: began + 60 * 7
assert finds(kept, "key-1") and asking.wait(60)
assert finds(kept, "key-1") and not finds(kept, "key-2") and kept.asked == 3, kept.asked
assert asks[1].daemon and asks[1].is_alive()  # no request waits for it, nor does the end of the program
time.monotonic = clock

for broken in sys.argv[1:]:
    wrong = keys.Keys(broken, "example.com")
    for _ in range(2):  # the second one has what the first one left
        try:
            wrong.get_signing_key("key-1")
        except Unavailable:
            continue
        raise AssertionError(broken)

for url, origin in ("https://Example.com:443", "https://example.com"), ("http://localhost:80/", "http://localhost"), ("http://[::1]:443", "http://[::1]:443"):
    sent = []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "HTTP_SEC_FETCH_MODE": "navigate", "HTTP_HOST": origin.split("/")[2]}
    Portico(url).wsgi(None)(environ, lambda status, headers: sent.extend(headers))
    assert dict(sent)["location"].startswith(origin + "/auth/signin?"), sent

for path in "/auth/enter", "/auth/signin":  # past Portico: where the answer above led, at the port of the app
    sent = []
    environ.update(PATH_INFO=path, HTTP_HOST="127.0.0.1:3000")
    body = b"".join(Portico("http://localhost:8080").wsgi(None)(environ, lambda status, headers: sent.append(status)))
    assert sent[0].startswith("401 ") and b"open http://localhost:8080" in body, (sent, body)
`

func TestPython_Faults(t *testing.T) {
	t.Parallel()
	answers := map[string]string{"/deep": strings.Repeat("[", 60<<10)}
	for i, set := range []string{
		`{}`, `[]`, `"no"`, `null`, `{"error":"busy"}`, `{"keys":"x"}`, `{"keys":["x"]}`, `{"keys":[{"kty":"oct","kid":"key-1","use":"sig"}]}`,
		`{"keys":[{"kty":"EC","crv":"P-256","x":1,"y":1,"kid":"key-1","use":"sig"}]}`,
		`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"key-1","use":"enc"}]}`,
	} {
		answers["/set"+strconv.Itoa(i)] = set
	}
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer, ok := answers[r.URL.Path]; ok {
			_, _ = w.Write([]byte(answer))
			return
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write([]byte("this is not HTTP\r\n\r\n"))
		_ = c.Close()
	}))
	t.Cleanup(broken.Close)
	args := []string{"-c", faults, broken.URL + "/noise"}
	for path := range answers {
		args = append(args, broken.URL+path)
	}
	if out, err := pythonOf(t, "cryptography, jwt", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
