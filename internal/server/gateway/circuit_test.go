package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Clients can make their own requests fail, and cannot open the circuit for
// others.
func TestCircuit_ClientsCannotOpenIt(t *testing.T) {
	t.Parallel()
	s := start(t, behind(echoApp(t).URL, "public /*"))
	for range 10 {
		c := s.dial()
		_, _ = fmt.Fprintf(c, "POST /upload HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n", s.host)
		if a, _ := io.ReadAll(c); !strings.HasPrefix(string(a), "HTTP/1.1 400 ") {
			t.Errorf("a body that is no body got %q", a)
		}
	}
	for range 5 { // longer than a round of the watcher
		if a := s.get("/x"); a.status != http.StatusOK {
			t.Fatalf("the app is closed to others: %d %s", a.status, a.body)
		}
		time.Sleep(300 * time.Millisecond)
	}
	if strings.Contains(s.log.String(), "an app does not respond") {
		t.Error("the app is taken for down")
	}
}

// A connection serves further requests after one was given up, which is not before the silence ends, of 5 seconds.
func TestCircuit_ConnectionGoesOn(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	u := newUpstream(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	s := start(t, behind(u, "public /*"))
	c := s.dial()
	r, began := bufio.NewReader(c), time.Now()
	for _, one := range []struct {
		request string
		want    int
	}{
		{"POST /x HTTP/1.1\r\nHost: " + s.host + "\r\nContent-Length: 5\r\n\r\nhello", http.StatusGatewayTimeout},
		{"GET /auth/signin HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n", http.StatusOK},
	} {
		_, _ = io.WriteString(c, one.request)
		a, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, a.Body)
		if a.StatusCode != one.want {
			t.Errorf("%.10s got status %d, want %d", one.request, a.StatusCode, one.want)
		}
	}
	if waited := time.Since(began); waited < 4*time.Second {
		t.Errorf("the app is given up after %v", waited)
	}
	if !strings.Contains(s.log.String(), "it sends no responses") {
		t.Error("the log does not say why")
	}
}
