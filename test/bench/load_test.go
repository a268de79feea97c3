package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// served returns the address of a server with the handler.
func served(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func TestConn(t *testing.T) {
	t.Parallel()
	addr := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Connection", "close")
			http.Error(w, "later", http.StatusServiceUnavailable)
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/endless":
			w.(http.Flusher).Flush()
		default:
			_, _ = w.Write([]byte(r.Header.Get("Cookie")))
		}
	})
	c, err := dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, step := range []struct {
		path   string
		status int
		retry  int
		body   string
	}{
		{"/", 200, 0, "a=b"},
		{"/busy", 503, 7, "later\n"},
		{"/", 200, 0, "a=b"}, // on a new connection
		{"/nothing", 204, 0, ""},
		{"/", 200, 0, "a=b"},
	} {
		a, err := c.do(get(step.path, "a=b"))
		if err != nil || a.status != step.status || a.retryAfter != step.retry || string(a.body) != step.body {
			t.Fatalf("%s: %+v %q, %v", step.path, a, a.body, err)
		}
	}
	if _, err := c.do(get("/endless", "")); err == nil {
		t.Error("an answer without a length is understood")
	}
	if err := (answer{status: 503, body: []byte("later")}).want(200); err == nil || !strings.Contains(err.Error(), "later") {
		t.Errorf("the error does not name the status: %v", err)
	}
}

// The times of an open loop include the wait that a stalled server caused.
func TestArriveCountsTheStall(t *testing.T) {
	t.Parallel()
	const stall = 200 * time.Millisecond
	first := make(chan struct{}, 1)
	first <- struct{}{}
	addr := served(t, func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-first:
			time.Sleep(stall)
		default:
		}
		_, _ = w.Write([]byte("ok"))
	})
	times, err := arrive(t.Context(), addr, 1, 100, stall, func(c *conn) (bool, error) {
		a, err := c.do(get("/", ""))
		return a.status == 200, err
	})
	if err != nil || len(times) != 20 {
		t.Fatalf("%d arrivals, want 20: %v", len(times), err)
	}
	for n, took := range times {
		if least := stall - time.Duration(n)*10*time.Millisecond; took < least {
			t.Errorf("arrival %d waited %v, at least %v behind the stall", n, took, least)
		}
	}
}

// A closed loop counts only work that counts, and stops at the first failure.
func TestDrive(t *testing.T) {
	t.Parallel()
	addr := served(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })
	self := &process{cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}}}
	var turn int
	r, err := drive(t.Context(), self, addr, 1, time.Hour, func(c *conn) (bool, error) {
		if turn++; turn > 10 {
			return false, errEnough
		}
		a, err := c.do(get("/a", ""))
		return turn%2 == 0 && string(a.body) == "/a", err
	})
	if err != nil || r.rate <= 0 || r.rate > 5/(10*time.Microsecond).Seconds() {
		t.Errorf("five pieces in the time of ten requests: %+v, %v", r, err)
	}
	_, err = drive(t.Context(), self, addr, 2, time.Hour, func(c *conn) (bool, error) {
		a, err := c.do(get("/a", ""))
		if err != nil {
			return false, err
		}
		return true, a.want(404)
	})
	if err == nil || !strings.Contains(err.Error(), "/a") {
		t.Errorf("an unexpected status is no error: %v", err)
	}
}
