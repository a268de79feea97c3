package clientdoc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clientdoc"
	"portico/internal/clock"
	"portico/internal/egress"
)

func keeper(t *testing.T, c clock.Clock, origins ...string) *clientdoc.Keeper {
	t.Helper()
	k, err := clientdoc.New(clientdoc.Config{Clock: c, Origins: origins})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

func fine([]byte) error { return nil }

func TestCounts(t *testing.T) {
	t.Parallel()
	all, few := keeper(t, clock.System{}), keeper(t, clock.System{}, "https://app.test", "http://127.0.0.1:9000")
	for address, want := range map[string][2]bool{
		"https://app.test/client.json":                 {true, true},
		"https://app.test/":                            {true, true},
		"https://app.test/a/b.json":                    {true, true},
		"https://other.test/client":                    {true, false},
		"https://app.test:8443/client":                 {true, false},
		"http://127.0.0.1:9000/client":                 {false, true},
		"https://127.0.0.1/client":                     {false, false},
		"https://localhost:8443/client":                {false, false},
		"https://app.test":                             {false, false},
		"http://app.test/client":                       {false, false},
		"https://App.test/client":                      {false, false},
		"https://app.test:443/client":                  {false, false},
		"https://app.test/client?x=1":                  {false, false},
		"https://app.test/client?":                     {false, false},
		"https://app.test/client#x":                    {false, false},
		"https://user@app.test/client":                 {false, false},
		"https://app.test/a/../client":                 {false, false},
		"https://app.test/a/./client":                  {false, false},
		"https://app.test/a/%2e%2e/client":             {false, false},
		"https://app.test/cl%69ent":                    {false, false},
		"https://app.test/cli ent":                     {false, false},
		"https://app.test\\client":                     {false, false},
		"https://app.test/" + strings.Repeat("a", 512): {false, false},
		"miniflux":              {false, false},
		"":                      {false, false},
		"file:///etc/passwd":    {false, false},
		"https:app.test/client": {false, false},
		"https://app.test/client\nhttps://app.test/client": {false, false},
	} {
		if got := [2]bool{all.Counts(address), few.Counts(address)}; got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

// A document is kept for five minutes, and not beyond a correction of the clock. When the app withdraws it, it ends then.
func TestLoad_Keeps(t *testing.T) {
	t.Parallel()
	var loads, status atomic.Int32
	status.Store(200)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(int(status.Load()))
		_, _ = fmt.Fprint(w, loads.Add(1))
	}))
	t.Cleanup(server.Close)
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	k := keeper(t, c, server.URL)
	address := server.URL + "/client.json"
	if _, ok := k.Kept(address); ok {
		t.Error("a document is there before it was loaded")
	}
	for _, step := range []struct {
		wait time.Duration
		want string
	}{{0, "1"}, {0, "1"}, {4 * time.Minute, "1"}, {2 * time.Minute, "2"}, {-time.Second, "3"}} {
		c.Advance(step.wait)
		if text, err := k.Load(t.Context(), address, fine); err != nil || string(text) != step.want {
			t.Errorf("after %s: %s, %v, want %s", step.wait, text, err, step.want)
		}
	}
	c.Advance(6 * time.Minute)
	for range 2 { // a document that is wrong is not kept
		if _, err := k.Load(t.Context(), address, func([]byte) error { return errors.New("wrong") }); err == nil {
			t.Error("a wrong document is returned")
		}
	}
	if _, ok := k.Kept(address); ok || loads.Load() != 5 {
		t.Errorf("a wrong document is kept, after %d loads", loads.Load())
	}
	status.Store(404)
	c.Advance(6 * time.Minute)
	for range 2 { // an error is not kept
		if _, err := k.Load(t.Context(), address, fine); err == nil || loads.Load() < 6 {
			t.Errorf("a withdrawn document: %v after %d loads", err, loads.Load())
		}
	}
	if _, err := k.Load(t.Context(), "https://app.test/client.json", fine); err == nil {
		t.Error("an origin that the operator has not named is asked")
	}
}

func TestLoad_RefusesAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, body, status := "application/json", "{}", http.StatusOK
		switch r.URL.Path {
		case "/html":
			kind = "text/html"
		case "/none":
			kind = ""
		case "/own":
			kind = "application/client+json"
		case "/most":
			body = strings.Repeat("x", 5<<10)
		case "/more":
			body = strings.Repeat("x", 5<<10+1)
		case "/wrong":
			body = "[]"
		case "/none-such":
			status = http.StatusNotFound
		case "/gone":
			status = http.StatusGone
		case "/down":
			status = http.StatusBadGateway
		case "/created":
			status = http.StatusCreated
		case "/moved":
			w.Header().Set("Location", "/good")
			status = http.StatusFound
		}
		w.Header()["Content-Type"] = []string{kind}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	k := keeper(t, clock.System{}, server.URL)
	for path, want := range map[string]bool{"/wrong": true, "/none-such": true, "/gone": true, "/down": false, "/html": false, "/more": false} {
		_, err := k.Load(t.Context(), server.URL+path, func([]byte) error { return errors.New("wrong") })
		if err == nil || clientdoc.Withdrawn(err) != want {
			t.Errorf("%s: %v, withdrawn %v", path, err, !want)
		}
	}
	all, err := clientdoc.New(clientdoc.Config{Clock: clock.System{}, Egress: egress.Config{Resolver: nobody()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	for what, address := range map[string]string{ // all alike, or a stranger could tell which names exist inside
		"no address of a document": "https://app.test", "an address inside": "https://10.0.0.1/client.json", "no such name": "https://none.app.test/client.json",
	} {
		if _, err := all.Load(t.Context(), address, fine); !clientdoc.Withdrawn(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for path, good := range map[string]bool{
		"/good": true, "/own": true, "/most": true, "/more": false, "/html": false, "/none": false, "/created": false, "/moved": false,
	} {
		if _, err := k.Load(t.Context(), server.URL+path, fine); good != (err == nil) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// nobody is a name server that knows no name.
func nobody() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			message := make([]byte, 2+512) // with its length before it, as over TCP
			for {
				n, err := io.ReadAtLeast(server, message, 2)
				if err != nil {
					return
				}
				length := 2 + int(message[0])<<8 + int(message[1])
				if n < length {
					if _, err := io.ReadFull(server, message[n:length]); err != nil {
						return
					}
				}
				message[4], message[5] = message[4]|0x80, 3 // a response: no such name
				if _, err := server.Write(message[:length]); err != nil {
					return
				}
			}
		}()
		return client, nil
	}}
}

// However many documents strangers name, few are kept and few loads run at a time.
func TestLoad_Bounds(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	wait := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			old := most.Load()
			if n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		if strings.HasPrefix(r.URL.Path, "/slow") {
			select {
			case <-wait:
			case <-r.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(server.Close)
	k := keeper(t, clock.System{}, server.URL)
	done := make(chan error)
	for i := range 64 {
		go func() {
			_, err := k.Load(context.Background(), fmt.Sprintf("%s/slow%d", server.URL, i), fine)
			done <- err
		}()
	}
	for now.Load() < 16 {
		time.Sleep(time.Millisecond)
	}
	close(wait)
	for range 64 {
		<-done // late ones may have run out of time
	}
	if most.Load() != 16 {
		t.Errorf("%d loads at a time", most.Load())
	}
	first := server.URL + "/0"
	for i := range 501 {
		if _, err := k.Load(t.Context(), fmt.Sprintf("%s/%d", server.URL, i), fine); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := k.Kept(first); ok {
		t.Error("the first of 501 documents is still kept")
	}
}
