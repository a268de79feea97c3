package security

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

// A proxy forwards a WebSocket over HTTP/2 without Upgrade and
// Sec-WebSocket-Key. A page of another origin must not open one. test/proxies
// sends a real one.
func TestSEC240_SocketsOverHTTP2(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, trusting(), func(c *config.Config) {
		c.Apps = []config.App{{Name: "guarded", Path: "/", Rules: publicAndAdmin(), Key: "app.1"}}
	})
	v := s.staff()
	for _, method := range []string{"GET", "CONNECT"} {
		for from, want := range map[string]int{s.origin: 200, "https://evil.test": 403, "null": 403} {
			h := http.Header{
				"Sec-Websocket-Version": {"13"}, "Origin": {from}, "X-Forwarded-Method": {method}, "X-Forwarded-Proto": {"https"},
				"X-Forwarded-Host": {"portico.test"}, "X-Forwarded-Uri": {"/app/ws"},
			}
			if a := v.do("GET", "/auth/api/check", "", h); a.status != want {
				t.Errorf("%s from %s: %d, want %d", method, from, a.status, want)
			}
		}
	}
}

// A proxy names the host of the app that it forwards to, and passes the client's Host on to Portico, which names another
// app. The first one counts. test/proxies sends such requests to real proxies.
func TestSEC523_HostOfAnotherApp(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, trusting(), func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "staff", Path: "/", Rules: []string{"role:staff /*"}, Key: "app.1"},
			{Name: "site", Host: "site.portico.test", Path: "/", Rules: []string{"public /*"}, Key: "app.2"},
		}
	})
	for _, from := range []string{"portico.test", "site.portico.test"} {
		for to, want := range map[string]int{"portico.test": 401, "site.portico.test": 200} {
			for way, h := range map[string]http.Header{
				"one URL": {"X-Original-Method": {"GET"}, "X-Original-Url": {"https://" + to + "/x"}},
				"parts":   {"X-Forwarded-Method": {"GET"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {to}, "X-Forwarded-Uri": {"/x"}},
			} {
				h["Host"], h["Sec-Fetch-Mode"] = []string{from}, []string{"cors"}
				if a := s.visitor().do("GET", "/auth/api/check", "", h); a.status != want {
					t.Errorf("by %s, Host %s: %s gets status %d, want %d", way, from, to, a.status, want)
				}
			}
		}
	}
}

// Strangers send half a byte now and then to hold the four workers of an app.
// The time limits are scaled so that the test is short.
func TestSEC241_SlowUploads(t *testing.T) {
	announce(t)
	t.Parallel()
	workers, asked := make(chan struct{}, 4), atomic.Int32{}
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		workers <- struct{}{}
		defer func() { <-workers }()
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	t.Cleanup(app.Close)
	s := start(t, func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(app.URL)
		c.App.Rules = []string{"public /*"}
		c.App.Uploads = config.Uploads{Pace: 100_000, Wait: time.Second}
	})
	statuses := make(chan int, 4)
	for range cap(statuses) {
		c, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true}) // the certificate is self-signed
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		go func() {
			_, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: portico.test\r\nContent-Length: 1000000\r\n\r\n")
			for err == nil {
				time.Sleep(50 * time.Millisecond)
				_, err = io.WriteString(c, "x")
			}
		}()
		go func() {
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				statuses <- 0
				return
			}
			_ = response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	for asked.Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	s.visitor().do("GET", "/x", "", script()).must(200)
	for range cap(statuses) {
		if status := <-statuses; status != http.StatusRequestTimeout {
			t.Errorf("a slow upload gets status %d", status)
		}
	}
}

// A body is held until it is complete. What the user has lost meanwhile must not reach the app.
func TestSEC498_RolesOfAHeldBody(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "role:editor /edits/*", "public /open", "signed-in /*"), func(c *config.Config) { c.App.Uploads = config.Uploads{BufferKiB: 64} })
	for _, tt := range []struct {
		target   string
		signsOut bool // and does not only lose the role
		chunked  bool // the body is empty, and its end comes late
		passes   bool
	}{
		{target: "/notes", passes: true},
		{target: "/edits/1"},
		{target: "/open", signsOut: true, passes: true},
		{target: "/own", signsOut: true},
		{target: "/later", chunked: true, passes: true},
	} {
		target := tt.target
		v := s.staff("editor")
		c, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true}) // the certificate is self-signed
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		r := bufio.NewReader(c)
		length, body := "Content-Length: 2", "ok"
		if tt.chunked {
			length, body = "Transfer-Encoding: chunked", "0\r\n\r\n"
		}
		// A form, so that a refusal leads to the sign-in page.
		_, err = io.WriteString(c, "POST "+target+" HTTP/1.1\r\nHost: portico.test\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: same-origin\r\nCookie: "+v.cookieLine()+"\r\n"+length+"\r\nExpect: 100-continue\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		if begun, err := http.ReadResponse(r, nil); err != nil || begun.StatusCode != http.StatusContinue { // Portico has judged the request, and reads its body
			t.Fatalf("%s: %+v, %v", target, begun, err)
		}
		if tt.signsOut {
			v.form("/auth/signout", url.Values{})
		} else if err := s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, s.account(v).ID, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, body); err != nil {
			t.Fatal(err)
		}
		got, err := http.ReadResponse(r, nil)
		for err == nil && got.StatusCode == http.StatusContinue { // of the app
			got, err = http.ReadResponse(r, nil)
		}
		if tt.signsOut && err != nil { // the watcher was first: it ends what a session began that has ended
			continue
		}
		if is := err == nil && got.StatusCode == http.StatusOK; is != tt.passes {
			t.Errorf("%s: %+v, %v", target, got, err)
		}
	}
	for _, r := range app.asked() {
		if r.Target == "/edits/1" || r.Target == "/own" || r.Header.Get("X-Portico-Roles") != "" || r.Target == "/open" && r.Header.Get("X-Portico-User") != "" {
			t.Errorf("the app got %+v", r)
		}
	}
}
