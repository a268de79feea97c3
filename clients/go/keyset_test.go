package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	client "portico.internal/clients/go"
	"portico.internal/clients/go/clienttest"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// answering is a server with a fixed response.
func answering(t *testing.T, body any) transport {
	text, err := json.Marshal(body)
	if s, ok := body.(string); ok {
		text = []byte(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(text)))}, nil
	}
}

// verify returns the sentinel of the error, or nil for a valid token.
func verify(t *testing.T, c *client.Client, token string) error {
	_, err := c.Verify(t.Context(), token)
	for _, sentinel := range []error{client.ErrRefused, client.ErrUnavailable} {
		if errors.Is(err, sentinel) {
			return sentinel
		}
	}
	return err
}

func TestKeys_RefreshedInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		portico := clienttest.New(t)
		c := portico.Client(client.Options{})
		for range 100 {
			if err := verify(t, c, portico.Token(mara, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if n := portico.Fetches(); n != 1 {
			t.Errorf("100 tokens cost %d fetches", n)
		}
		for range 60 { // an hour of use
			time.Sleep(time.Minute)
			if err := verify(t, c, portico.Token(mara, nil)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if n := portico.Fetches(); n != 1+60/3 {
			t.Errorf("an hour costs %d fetches", n)
		}
	})
}

// A rotation causes no refusal. The token of a revoked key is refused after
// five minutes, however rarely the app is used.
func TestKeys_RotatedAndRevoked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		portico := clienttest.New(t)
		c := portico.Client(client.Options{})
		long := map[string]any{"exp": time.Now().Add(time.Hour).Unix()}
		first := portico.Token(mara, long)
		if err := verify(t, c, first); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		portico.Rotate()
		for _, token := range []string{portico.Token(mara, long), first} {
			if err := verify(t, c, token); err != nil {
				t.Errorf("after a rotation: %v", err)
			}
		}
		portico.Revoke()
		time.Sleep(5 * time.Minute)
		if err := verify(t, c, first); !errors.Is(err, client.ErrRefused) {
			t.Errorf("the token of a revoked key: %v, want %v", err, client.ErrRefused)
		}
		if err := verify(t, c, portico.Token(mara, nil)); err != nil {
			t.Errorf("the token of its successor: %v", err)
		}
	})
}

func TestKeys_UnknownOnesCostLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		portico, other := clienttest.New(t), clienttest.New(t)
		c := portico.Client(client.Options{})
		for i := range 1000 {
			other.Rotate() // each time an unknown key id
			if i%10 == 0 {
				time.Sleep(100 * time.Millisecond)
			}
			if err := verify(t, c, other.Token(mara, nil)); err != client.ErrRefused {
				t.Fatalf("token %d: %v", i, err)
			}
		}
		if n := portico.Fetches(); n > 6 {
			t.Errorf("1,000 unknown keys in ten seconds cost %d fetches", n)
		}
	})
}

func TestKeys_OneFetchForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		portico := clienttest.New(t)
		slow := transport(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return portico.RoundTrip(r)
		})
		c, err := client.New(clienttest.URL, client.Options{Transport: slow})
		if err != nil {
			t.Fatal(err)
		}
		token := portico.Token(mara, nil)
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				if _, err := c.Verify(t.Context(), token); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Verify(impatient, token); !errors.Is(err, client.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request that has ended still waits: %v", err)
		}
		group.Wait()
		if n := portico.Fetches(); n != 1 {
			t.Errorf("50 requests cost %d fetches", n)
		}
	})
}

// While Portico is away, the old keys are valid for a while and requests do not
// wait. After that every request is refused.
func TestKeys_StaleWhileAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		portico := clienttest.New(t)
		c := portico.Client(client.Options{})
		token := func() string { return portico.Token(mara, nil) }
		portico.SetDown(true)
		if err := verify(t, c, token()); err != client.ErrUnavailable {
			t.Errorf("without any key: %v, want %v", err, client.ErrUnavailable)
		}
		portico.SetDown(false)
		time.Sleep(2 * time.Second)
		if err := verify(t, c, token()); err != nil {
			t.Fatal(err)
		}
		portico.SetDown(true)
		for minute := range 20 {
			time.Sleep(time.Minute)
			want := error(nil)
			if minute >= 14 {
				want = client.ErrUnavailable
			}
			if err := verify(t, c, token()); err != want {
				t.Errorf("away for %d minutes: %v, want %v", minute+1, err, want)
			}
			synctest.Wait()
		}
		portico.SetDown(false)
		time.Sleep(2 * time.Second)
		if err := verify(t, c, token()); err != nil {
			t.Errorf("when it is there again: %v", err)
		}
	})
}

func TestKeys_AwayIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		portico, hangs := clienttest.New(t), false
		c, err := client.New(clienttest.URL, client.Options{Transport: transport(func(r *http.Request) (*http.Response, error) {
			if hangs {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return portico.RoundTrip(r)
		})})
		if err != nil {
			t.Fatal(err)
		}
		token := portico.Token(mara, map[string]any{"exp": time.Now().Add(time.Hour).Unix()})
		if err := verify(t, c, token); err != nil {
			t.Fatal(err)
		}
		hangs = true
		begun, waited := time.Now(), time.Duration(0)
		for time.Since(begun) < 14*time.Minute {
			time.Sleep(10 * time.Second)
			before := time.Now()
			if err := verify(t, c, token); err != nil {
				t.Fatalf("after %v: %v", time.Since(begun), err)
			}
			waited += time.Since(before)
		}
		if waited > 5*time.Second {
			t.Errorf("requests have waited for %v", waited)
		}
		time.Sleep(10 * time.Second) // the last fetch times out
	})
}

func TestKeys_Answers(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	w, err := portico.RoundTrip(&http.Request{URL: mustParse(clienttest.URL + "/.well-known/jwks.json")})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(w.Body)
	good := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), `{"keys":[`), "]}")
	private, _ := json.Marshal(jose.JSONWebKey{Key: []byte("0123456789abcdef0123456789abcdef"), KeyID: "key-1", Algorithm: "HS256", Use: "sig"})
	for name, test := range map[string]struct {
		body string
		want error
	}{
		"the key":               {`{"keys":[` + good + `]}`, nil},
		"among others":          {`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"o","x":"AAAA"},{"kty":"new"},` + good + `]}`, nil},
		"of another use":        {`{"keys":[` + strings.Replace(good, `"sig"`, `"enc"`, 1) + `]}`, client.ErrUnavailable},
		"of another algorithm":  {`{"keys":[` + strings.Replace(good, `"ES256"`, `"RS256"`, 1) + `]}`, client.ErrUnavailable},
		"an HMAC of its name":   {`{"keys":[` + string(private) + `]}`, client.ErrUnavailable},
		"none":                  {`{"keys":[]}`, client.ErrUnavailable},
		"no set":                {`<!doctype html>`, client.ErrUnavailable},
		"a broken one":          {`{"keys":[` + good, client.ErrUnavailable},
		"too many":              {`{"keys":[` + strings.Repeat(good+",", 40) + good + `]}`, client.ErrUnavailable},
		"longer than a set is":  {`{"keys":[` + good + `]}` + strings.Repeat(" ", 64<<10), client.ErrUnavailable},
		"a point off the curve": {`{"keys":[{"kty":"EC","crv":"P-256","kid":"key-1","alg":"ES256","use":"sig","x":"AAAA","y":"AAAA"}]}`, client.ErrUnavailable},
	} {
		c, err := client.New(clienttest.URL, client.Options{Transport: answering(t, test.body)})
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(t, c, portico.Token(mara, nil)); err != test.want {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	redirects := transport(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host != "portico.test" {
			t.Errorf("%s was asked", r.URL)
		}
		return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {"https://evil.test/jwks.json"}}, Body: http.NoBody}, nil
	})
	c, err := client.New(clienttest.URL, client.Options{Transport: redirects})
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(t, c, portico.Token(mara, nil)); err != client.ErrUnavailable {
		t.Errorf("a redirect: %v", err)
	}
}

func ExampleClient_Verify() {
	c, err := client.New("https://example.com", client.Options{Audience: "shop"})
	if err != nil {
		panic(err)
	}
	_, err = c.Verify(context.Background(), "made.up.token")
	fmt.Println(errors.Is(err, client.ErrRefused))
	// Output: true
}
