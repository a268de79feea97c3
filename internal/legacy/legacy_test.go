package legacy

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/logtest"
	"portico/internal/signature"
)

// asking is a keeper with a real receiver. Pause notes what it is given.
type asking struct {
	*Keeper
	pauses atomic.Int32
	log    *logtest.Buffer
	clock  *clock.Manual
}

func ask(t *testing.T, receiver http.HandlerFunc, changes ...func(*Config, *httptest.Server)) *asking {
	t.Helper()
	server := httptest.NewServer(receiver)
	t.Cleanup(server.Close)
	a := &asking{log: &logtest.Buffer{}, clock: clock.NewManual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))}
	client, err := egress.New(egress.Config{Allow: []string{server.URL}, Timeout: Timeout, MaxBytes: MostBytes})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		URL: server.URL + "/check", Until: a.clock.Now().Add(time.Hour), Client: client, Clock: a.clock, Log: slog.New(slog.NewTextHandler(a.log, nil)),
		Pause: func(_ context.Context, left time.Duration) {
			if left > refusalTime {
				t.Errorf("a pause of %v", left)
			}
			a.pauses.Add(1)
		},
	}
	for _, c := range changes {
		c(&cfg, server)
	}
	a.Keeper = New(cfg, nil)
	t.Cleanup(a.Stop)
	return a
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

var mara = Question{Address: "Mara@example.org", Subject: "user-42", Password: `pass "wörd" `}

func (a *asking) check(t *testing.T) bool {
	t.Helper()
	right, err := a.Check(t.Context(), &mara)
	if err != nil {
		t.Fatal(err)
	}
	return right
}

// The former system gets what it needs, once, with a signature of each secret.
func TestCheck_Asks(t *testing.T) {
	t.Parallel()
	raw := [][]byte{[]byte("a secret of twenty-four b."), []byte("another one of 24 bytes...")}
	var keys []signature.Key
	for _, r := range raw {
		k, err := signature.ParseKey("whsec_" + base64.StdEncoding.EncodeToString(r))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	var asked atomic.Int32
	a := ask(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		var p payload
		if err := json.Unmarshal(body, &p); err != nil || p.Type != "signin.password" || p.Data != (data{1, mara.Address, mara.Subject, mara.Password}) {
			t.Errorf("the question is %s", body)
		}
		var want []string
		for _, key := range raw {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(r.Header.Get(signature.HeaderID) + "." + r.Header.Get(signature.HeaderTime) + "." + string(body)))
			want = append(want, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		}
		if got := r.Header.Get(signature.HeaderSignature); got != strings.Join(want, " ") || r.URL.Path != "/check" || r.Method != http.MethodPost {
			t.Errorf("%s %s has the signature %q, want %q", r.Method, r.URL, got, want)
		}
		says(`{"right": true, "more": 1}`)(w, r)
	}, func(c *Config, _ *httptest.Server) { c.Keys = keys })
	if !a.check(t) || asked.Load() != 1 || a.pauses.Load() != 0 || a.Stats().Right != 1 {
		t.Errorf("asked %d times, with %d pauses: %+v", asked.Load(), a.pauses.Load(), a.Stats())
	}
	if right, err := a.Check(t.Context(), nil); right || err != nil || asked.Load() != 1 || a.pauses.Load() != 1 {
		t.Errorf("without a question: %v (%v)", right, err)
	}
}

// Nothing but the exact answer of the address counts. Each other one pauses, and tells the log once.
func TestCheck_HostileAnswers(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"right": true}`)
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }
	for name, receiver := range map[string]http.HandlerFunc{
		"no":              says(`{"right": false}`),
		"a text":          says(`{"right": "true"}`),
		"a number":        says(`{"right": 1}`),
		"nothing":         says(``),
		"an empty object": says(`{}`),
		"null":            says(`{"right": null}`),
		"a list":          says(`[{"right": true}]`),
		"two objects":     says(`{"right": true}{"right": true}`),
		"huge":            says(`{"x": "` + strings.Repeat("x", MostBytes) + `", "right": true}`),
		"created":         status(http.StatusCreated),
		"unauthorized":    status(http.StatusUnauthorized),
		"an error":        status(http.StatusInternalServerError),
		"a page":          func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"right": true}`) },
		"slow":            hang,
		"slow in the end": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"right": true`)
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		},
		"cut": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, `{"right": true}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, receiver)
			for range 2 {
				if a.check(t) {
					t.Fatal("the answer counts")
				}
				if name == "slow" || name == "slow in the end" {
					break
				}
			}
			if a.pauses.Load() == 0 || (a.Stats().Failed > 0) == (name == "no") {
				t.Errorf("%d pauses, %+v", a.pauses.Load(), a.Stats())
			}
			text := a.log.String()
			if n := strings.Count(text, "did not answer"); n > 1 || (n == 1) == (name == "no") {
				t.Errorf("the log has %s", text)
			}
			for _, secret := range []string{"wörd", "pass", "Mara", "user-42"} {
				if strings.Contains(text, secret) {
					t.Errorf("the log has %q: %s", secret, text)
				}
			}
		})
	}
}

// A redirect leads nowhere, and an address inside is not asked unless the settings say so.
func TestCheck_StaysWhereItIs(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		says(`{"right": true}`)(w, r)
	}))
	t.Cleanup(inside.Close)
	for _, code := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		if ask(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, code) }).check(t) {
			t.Errorf("%d counts", code)
		}
	}
	a := ask(t, says(`{"right": true}`), func(c *Config, _ *httptest.Server) { c.URL = inside.URL })
	if a.check(t) || reached.Load() != 0 {
		t.Errorf("it reached %d times what the settings do not name", reached.Load())
	}
}

// What changes while the former system answers counts.
func TestCheck_EndsMeanwhile(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(a *asking){
		"its last day has passed": func(a *asking) { a.clock.Advance(time.Hour) },
		"a reload":                func(a *asking) { a.stopped.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a *asking
			a = ask(t, func(w http.ResponseWriter, r *http.Request) {
				end(a)
				says(`{"right": true}`)(w, r)
			})
			if !a.On() || a.check(t) || a.On() || a.pauses.Load() != 1 {
				t.Errorf("it is on: %v, with %d pauses", a.On(), a.pauses.Load())
			}
		})
	}
	if (*Keeper)(nil).On() || (*Keeper)(nil).Stats() != (Stats{}) {
		t.Error("none is on")
	}
}

// There are so many places, for those who are asked about and for all others, also after a reload.
func TestCheck_Places(t *testing.T) {
	t.Parallel()
	free, in := make(chan struct{}), make(chan struct{})
	hold := func(context.Context, time.Duration) { in <- struct{}{}; <-free }
	a := ask(t, says(`{"right": false}`), func(c *Config, _ *httptest.Server) { c.Pause = hold })
	var all sync.WaitGroup
	for i := range MostChecks {
		all.Go(func() {
			q := &mara
			if i%2 == 0 {
				q = nil
			}
			if right, err := a.Check(t.Context(), q); right || err != nil {
				t.Errorf("%v (%v)", right, err)
			}
		})
		<-in
	}
	next := New(a.Config, a.Keeper)
	for _, q := range []*Question{&mara, nil} {
		if _, err := next.Check(t.Context(), q); !errors.Is(err, ErrBusy) {
			t.Errorf("without a place: %v", err)
		}
	}
	close(free)
	all.Wait()
	if next.Stats() != (Stats{Wrong: MostChecks / 2, Refused: 2}) {
		t.Errorf("%+v", next.Stats())
	}
}

// A visitor who leaves waits no longer.
func TestCheck_Leaves(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	a := ask(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		leave()
		<-r.Context().Done()
	}, func(c *Config, _ *httptest.Server) { c.Pause = nil })
	if right, err := a.Check(ctx, &mara); right || !errors.Is(err, context.Canceled) || a.Stats() != (Stats{}) {
		t.Errorf("%v (%v), %+v", right, err, a.Stats())
	}
}
