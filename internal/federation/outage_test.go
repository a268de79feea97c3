package federation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/document"
	"portico/internal/fault"
)

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		answerJSON(w, code, "{}")
	}
}

// hang answers nothing until the other side gives up, which the server notices
// only once the request is read.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func hangInBody(w http.ResponseWriter, r *http.Request) {
	answerJSON(w, http.StatusOK, "{")
	_ = http.NewResponseController(w).Flush()
	hang(w, r)
}

func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	answerJSON(w, http.StatusOK, "{")
}

func html(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "{}")
}

// endless sends a gigabyte, unless the other side has enough before.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"keys":["`)
	block := strings.Repeat("x", 1<<16)
	for range 1 << 14 {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
}

// Every document and endpoint fails in every way. A provider that is down is
// "unavailable", a provider with a wrong response is "rejected", and no redirect is
// followed.
func TestFailingEndpoints(t *testing.T) {
	t.Parallel()
	var inner atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inner.Add(1) }))
	t.Cleanup(target.Close)
	redirect := http.RedirectHandler(target.URL, http.StatusTemporaryRedirect).ServeHTTP
	faults := []struct {
		name    string
		handler http.HandlerFunc
		code    string
		cause   string
	}{
		{"500", status(500), CodeUnavailable, "500"},
		{"503", status(503), CodeUnavailable, "503"},
		{"429", status(429), CodeUnavailable, "429"},
		{"404", status(404), CodeRejected, "404"},
		{"hanging", hang, CodeUnavailable, ""},
		{"hanging in the body", hangInBody, CodeUnavailable, ""},
		{"cut off", cut, CodeUnavailable, "EOF"},
		{"redirect", redirect, CodeRejected, "redirect"},
		{"a web page", html, CodeRejected, "content type"},
		{"a gigabyte", endless, CodeRejected, "too large"},
		{"not JSON", func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, 200, "<") }, CodeRejected, ""},
		{"empty object", func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, 200, "{}") }, CodeRejected, ""},
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/userinfo"} {
		for _, f := range faults {
			t.Run(path+" "+f.name, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.op.claims["email"] = "" // so that UserInfo is needed
				b.op.handlers[path] = f.handler
				if strings.HasPrefix(f.name, "hanging") {
					b.s.providers["acme"].http.Timeout = 100 * time.Millisecond
				}
				begun, err := b.s.Begin(t.Context(), "acme", flowID)
				if err == nil {
					_, err = b.s.Finish(t.Context(), "acme", begun.Pending, b.op.authorize(begun.URL))
				}
				got := want(t, err, f.code, f.cause)
				if strings.HasPrefix(f.name, "5") && got.RetryAfter != 30*time.Second {
					t.Errorf("to be tried again after %v, want the provider's 30 s", got.RetryAfter)
				}
				if f.code == CodeUnavailable && (got.Kind != fault.Unavailable || got.RetryAfter <= 0) {
					t.Errorf("got the kind %v, to be tried again after %v", got.Kind, got.RetryAfter)
				}
			})
		}
	}
	t.Cleanup(func() {
		if n := inner.Load(); n != 0 {
			t.Errorf("the target of the redirects was asked %d times", n)
		}
	})
}

func TestDiscoveryDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit  func(*op)
		cause string
	}{
		"another issuer":        {func(o *op) { o.members["issuer"] = `"https://evil.test"` }, "names the issuer"},
		"issuer with a slash":   {func(o *op) { o.members["issuer"] = quote(o.srv.URL + "/") }, "names the issuer"},
		"issuer as a pattern":   {func(o *op) { o.members["issuer"] = quote(o.srv.URL + "/{tenantid}/") }, "names the issuer"},
		"no token endpoint":     {func(o *op) { o.members["token_endpoint"] = "" }, "https address"},
		"keys in a file":        {func(o *op) { o.members["jwks_uri"] = `"file:///etc/passwd"` }, "https address"},
		"gopher":                {func(o *op) { o.members["userinfo_endpoint"] = `"gopher://x.test/"` }, "https address"},
		"script to go to":       {func(o *op) { o.members["authorization_endpoint"] = `"javascript:alert(1)"` }, "https address"},
		"address with a person": {func(o *op) { o.members["token_endpoint"] = `"https://a@x.test/"` }, "https address"},
		"only weak algorithms":  {func(o *op) { o.members["id_token_signing_alg_values_supported"] = `["none","HS256"]` }, "none of the accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c.edit(b.op)
			_, err := b.s.Begin(t.Context(), "acme", flowID)
			want(t, err, CodeRejected, c.cause)
		})
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, issuer string
		ok              bool
	}{
		{"https://x.test/a?b=c", "https://id.test", true},
		{"http://x.test/a", "https://id.test", false},
		{"http://127.0.0.1/a", "http://127.0.0.1", true},
		{"https://x.test/a#b", "https://id.test", false},
		{"https:/a", "https://id.test", false},
		{"/a", "https://id.test", false},
		{"", "https://id.test", false},
	} {
		if got := endpoint(c.address, c.issuer); got != c.ok {
			t.Errorf("%s of %s: got %v", c.address, c.issuer, got)
		}
	}
}

// Metadata that points inwards is refused before a connection is made.
func TestEndpointsAtInnerAddresses(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	t.Cleanup(target.Close)
	for _, member := range []string{"token_endpoint", "jwks_uri", "userinfo_endpoint"} {
		for _, address := range []string{target.URL, strings.Replace(target.URL, "http://", "https://", 1), "https://169.254.169.254/latest"} {
			b := setup(t)
			b.op.claims["email"] = ""
			b.op.members[member] = quote(address)
			_, err := b.signIn()
			want(t, err, CodeRejected, "not allowed to leave")
		}
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("the inner server was asked %d times", n)
	}
}

// While a provider is down it is asked once in five seconds, however many press
// its button, and everybody is told quickly.
func TestDownProviderFailsFast(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/openid-configuration"
	b := setup(t)
	b.op.handlers[path] = status(503)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			_, err := b.s.Begin(t.Context(), "acme", flowID)
			want(t, err, CodeUnavailable, "503")
		})
	}
	wg.Wait()
	if n := b.op.hit(path); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	b.op.set(func() { delete(b.op.handlers, path) })
	b.clock.Advance(document.Pause - time.Millisecond)
	_, err := b.s.Begin(t.Context(), "acme", flowID)
	want(t, err, CodeUnavailable, "503")
	b.clock.Advance(time.Millisecond)
	b.begin()
}

// A person who leaves does not make the provider look dead to the others, and
// does not wait for it either.
func TestWaitingEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/openid-configuration"
	b := setup(t)
	asked, release := make(chan struct{}), make(chan struct{})
	b.op.handlers[path] = func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-release
		b.op.discovery(w, r)
	}
	first, leave := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.s.Begin(first, "acme", flowID)
		done <- err
	}()
	<-asked
	leave()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.s.Begin(gone, "acme", flowID)
	want(t, err, CodeUnavailable, "canceled")
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	b.begin()
	if n := b.op.hit(path); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

func TestLastGoodDocumentsStayInUse(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/openid-configuration"
	b := setup(t)
	if _, err := b.signIn(); err != nil {
		t.Fatal(err)
	}
	b.op.handlers[path], b.op.handlers["/keys"] = status(503), status(503)
	b.clock.Advance(2 * time.Hour)
	if _, err := b.signIn(); err != nil {
		t.Errorf("with documents of two hours ago: %v", err)
	}
	b.clock.Advance(document.KeepFor)
	_, err := b.s.Begin(t.Context(), "acme", flowID)
	want(t, err, CodeUnavailable, "503")
}

// A key that was changed is found at once, also under the id of the old one.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	for _, kid := range []string{"k2", "k1"} {
		t.Run(kid, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			rotate := func(kid string) {
				key := newKey(t, kid)
				b.op.keys = []jose.JSONWebKey{key.Public()}
				b.op.sign = signES256(t, key)
			}
			if _, err := b.signIn(); err != nil {
				t.Fatal(err)
			}
			rotate(kid)
			if _, err := b.signIn(); err != nil {
				t.Errorf("after a rotation: %v", err)
			}
			b.asked("/keys", 2)

			// Another one within seconds waits for its turn.
			rotate(kid)
			_, err := b.signIn()
			want(t, err, CodeRejected, "no published key")
			b.asked("/keys", 2)
			b.clock.Advance(document.RenewEvery)
			if _, err := b.signIn(); err != nil {
				t.Errorf("after a second rotation: %v", err)
			}
			b.asked("/keys", 3)

			// Bad tokens do not cause a request each.
			b.op.sign = signES256(t, newKey(t, kid))
			for range 5 {
				_, err := b.signIn()
				want(t, err, CodeRejected, "no published key")
			}
			b.asked("/keys", 3)

			// A key set that cannot be fetched is an outage, not a forgery.
			rotate(kid)
			b.clock.Advance(document.RenewEvery)
			b.op.handlers["/keys"] = status(500)
			_, err = b.signIn()
			want(t, err, CodeUnavailable, "500")
		})
	}
}

// Users who come back at the same moment after a rotation all get in.
func TestKeyRotationForManyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.signIn(); err != nil {
		t.Fatal(err)
	}
	key := newKey(t, "k1")
	b.op.set(func() { b.op.keys, b.op.sign = []jose.JSONWebKey{key.Public()}, signES256(t, key) })
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := b.signIn(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b.asked("/keys", 2)
}

func TestWithdrawnKeyIsForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.signIn(); err != nil {
		t.Fatal(err)
	}
	b.op.keys = nil
	b.op.keys = append(b.op.keys, newKey(t, "k2").Public())
	b.clock.Advance(keysLife + time.Second)
	_, err := b.signIn()
	want(t, err, CodeRejected, "no published key")
}

// A clock that is set back makes no outage and no withdrawn key last longer, and costs no document that cannot be
// loaded again.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/openid-configuration"
	b := setup(t)
	b.op.handlers[path] = status(503)
	_, err := b.s.Begin(t.Context(), "acme", flowID)
	want(t, err, CodeUnavailable, "503")
	delete(b.op.handlers, path)
	b.clock.Advance(-time.Hour)
	rotate := func() {
		key := newKey(t, "k1")
		b.op.keys, b.op.sign = []jose.JSONWebKey{key.Public()}, signES256(t, key)
	}
	for range 2 { // the second time, the last load out of turn is ahead
		if _, err := b.signIn(); err != nil {
			t.Fatal(err)
		}
		rotate()
		if _, err := b.signIn(); err != nil {
			t.Errorf("after a rotation: %v", err)
		}
		b.clock.Advance(-time.Hour)
	}
	if _, err := b.signIn(); err != nil {
		t.Fatal(err)
	}
	rotate()
	b.clock.Advance(document.RenewEvery)
	b.op.handlers["/keys"] = status(503)
	_, err = b.signIn()
	want(t, err, CodeUnavailable, "503")
	delete(b.op.handlers, "/keys")
	b.clock.Advance(-time.Second)
	if _, err := b.signIn(); err != nil {
		t.Errorf("after an outage at a rotation: %v", err)
	}

	b.clock.Advance(-time.Hour)
	b.op.handlers[path], b.op.handlers["/keys"] = status(503), status(503)
	if _, err := b.signIn(); err != nil {
		t.Errorf("while the provider is down: %v", err)
	}
	delete(b.op.handlers, "/keys")
	b.op.keys = []jose.JSONWebKey{newKey(t, "k2").Public()}
	b.clock.Advance(-time.Hour)
	_, err = b.signIn()
	want(t, err, CodeRejected, "no published key")
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if _, err := b.signIn(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, path := range []string{"/.well-known/openid-configuration", "/keys"} {
		if n := b.op.hit(path); n != 1 {
			t.Errorf("%s was asked for %d times, want once", path, n)
		}
	}
}

func TestTokenType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.op.handlers["/token"] = func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, `{"access_token":"a","token_type":"DPoP","id_token":"`+b.op.sign("{}")+`"}`)
	}
	_, err := b.signIn()
	want(t, err, CodeRejected, "token type")
}

// Neither the code, the secrets nor the tokens of an attempt reach the log.
func TestCausesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"echo": func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			body, _ := json.Marshal(map[string]string{"error": "invalid_grant", "form": fmt.Sprint(r.PostForm), "auth": r.Header.Get("Authorization")})
			answerJSON(w, http.StatusBadRequest, string(body))
		},
		"hang": hang, "500": status(500), "page": html,
		"token without an ID token": func(w http.ResponseWriter, _ *http.Request) {
			answerJSON(w, http.StatusOK, `{"access_token":"the-access-token","token_type":"Bearer"}`)
		},
		"odd type": func(w http.ResponseWriter, _ *http.Request) {
			answerJSON(w, http.StatusOK, `{"access_token":"the-access-token","token_type":"DPoP"}`)
		},
	} {
		b := setup(t)
		b.op.handlers["/token"] = handler
		begun := b.begin()
		var a attempt
		if err := json.Unmarshal(begun.Pending, &a); err != nil {
			t.Fatal(err)
		}
		callback := b.op.authorize(begun.URL)
		if name == "hang" {
			b.s.providers["acme"].http.Timeout = 100 * time.Millisecond // of the request for the token alone
		}
		_, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code == CodeCancelled {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		for _, secret := range []string{callback.Get("code"), a.Verifier, a.Nonce, testSecret, "s%3Aecret", "the-access-token"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the cause %q holds %q", name, err, secret)
			}
		}
	}
}
