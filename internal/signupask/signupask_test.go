package signupask

import (
	"context"
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
	"unicode/utf8"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/logtest"
	"portico/internal/signature"
)

var mara = Question{Address: "Mara@example.org", Name: `Mara "M" Möller`, Method: "mail", Invitation: "i1", Language: "de"}

// asking returns a keeper with a real receiver, and its log.
func asking(t *testing.T, receiver http.HandlerFunc, changes ...func(*Config)) (*Keeper, *logtest.Buffer) {
	t.Helper()
	server := httptest.NewServer(receiver)
	t.Cleanup(server.Close)
	client, err := egress.New(egress.Config{Allow: []string{server.URL}, Timeout: Timeout, MaxBytes: MostBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	log := &logtest.Buffer{}
	cfg := Config{URL: server.URL + "/ask", Client: client, Clock: clock.NewManual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)), Log: slog.New(slog.NewTextHandler(log, nil))}
	for _, c := range changes {
		c(&cfg)
	}
	return New(cfg, nil), log
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

func (k *Keeper) one(t *testing.T) Answer {
	t.Helper()
	a, used, err := k.Ask(t.Context(), mara)
	if err != nil {
		t.Fatal(err)
	}
	used()
	return a
}

// The app gets what it needs, signed, in the form that the documents have.
func TestAsk(t *testing.T) {
	t.Parallel()
	key, err := signature.ParseKey(signature.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	k, _ := asking(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var got any
		_ = json.Unmarshal(body, &got)
		text, _ := json.Marshal(got)
		const want = `{"data":{"email":"Mara@example.org","invitation":"i1","language":"de","method":"mail","name":"Mara \"M\" Möller","version":1},"timestamp":"2026-05-04T10:00:00Z","type":"signup.question"}`
		h := http.Header{}
		signature.Sign(h, r.Header.Get(signature.HeaderID), time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), body, key)
		if string(text) != want || h.Get(signature.HeaderSignature) != r.Header.Get(signature.HeaderSignature) || r.Method != http.MethodPost || r.URL.Path != "/ask" {
			t.Errorf("%s %s %v\n%s", r.Method, r.URL, r.Header, text)
		}
		says(`{"allow": true, "more": [1]}`)(w, r)
	}, func(c *Config) { c.Keys = []signature.Key{key} })
	if a := k.one(t); a != (Answer{Allowed: true}) || k.Stats() != (Stats{Allowed: 1}) {
		t.Errorf("%+v, %+v", a, k.Stats())
	}
}

// A refusal is one, whatever else is in it, also where no answer lets everybody in. What it says is one plain line.
func TestAsk_Refusals(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]Answer{
		`{"allow": false}`:                                                {},
		`{"allow": false, "reason": "domain"}`:                            {Reason: ReasonDomain},
		`{"allow": false, "reason": "uninvited"}`:                         {Reason: ReasonUninvited},
		`{"allow": false, "reason": "signup.taken"}`:                      {},
		`{"allow": false, "reason": 7, "text": [true]}`:                   {},
		`{"allow": false, "Allow": true, "TEXT": "of another name"}`:      {},
		`{"allow": false, "text": " Only for members,\n\tsorry.\u0000 "}`: {Text: "Only for members, sorry."},
		`{"allow": false, "text": "<b>\u202egnp.exe\u2066\u200b</b>"}`:    {Text: "<b>gnp.exe</b>"},
		`{"allow": false, "text": "\u202e\u2028"}`:                        {},
		`{"allow": false, "text": "لأعضاء النادي فقط"}`:                   {Text: "لأعضاء النادي فقط"},
	} {
		k, _ := asking(t, says(answer), func(c *Config) { c.Open = true })
		if got := k.one(t); got != want || k.Stats() != (Stats{Refused: 1}) {
			t.Errorf("%s gives %+v, %+v", answer, got, k.Stats())
		}
	}
	k, _ := asking(t, says(`{"allow": false, "text": "`+strings.Repeat("ö", mostText+1)+`"}`))
	if got := k.one(t).Text; utf8.RuneCountInString(got) != mostText || !strings.HasSuffix(got, "ö…") {
		t.Errorf("a long text is %q", got)
	}
}

// Without an answer that can be used, the setting decides. The log says it once, and has nothing about the person.
func TestAsk_NoAnswer(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		says(`{"allow": true}`)(w, r)
	}))
	t.Cleanup(inside.Close)
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"allow": true}`)
		}
	}
	for name, receiver := range map[string]http.HandlerFunc{
		"a text":       says(`{"allow": "true"}`),
		"a number":     says(`{"allow": 1}`),
		"another name": says(`{"Allow": true}`),
		"nothing":      says(``),
		"null":         says(`{"allow": null}`),
		"a list":       says(`[{"allow": true}]`),
		"two objects":  says(`{"allow": true}{"allow": true}`),
		"huge":         says(`{"x": "` + strings.Repeat("x", MostBytes) + `", "allow": true}`),
		"created":      status(http.StatusCreated),
		"unauthorized": status(http.StatusUnauthorized),
		"an error":     status(http.StatusInternalServerError),
		"a page":       func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"allow": true}`) },
		"slow":         func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
		},
	} {
		for _, open := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				k, log := asking(t, receiver, func(c *Config) { c.Open = open })
				for range 2 {
					if got := k.one(t); got != (Answer{Allowed: open, Unanswered: true}) {
						t.Fatalf("%+v", got)
					}
					if name == "slow" {
						break
					}
				}
				text := log.String()
				if k.Stats().Failed == 0 || strings.Count(text, "did not answer") != 1 || strings.Contains(text, "Mara") || strings.Contains(text, "example.org") {
					t.Errorf("%+v, the log has %s", k.Stats(), text)
				}
			})
		}
	}
	k, _ := asking(t, says(`{"allow": true}`), func(c *Config) { c.URL = inside.URL })
	if a := k.one(t); a.Allowed || reached.Load() != 0 {
		t.Errorf("%+v, and it reached %d times what the settings do not name", a, reached.Load())
	}
}

// Those who ask the same share an answer until all have used it, also when the first of them has left, and across a reload.
func TestAsk_Once(t *testing.T) {
	t.Parallel()
	free, asked := make(chan struct{}), make(chan struct{}, 9)
	k, _ := asking(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-free
		says(`{"allow": true}`)(w, r)
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, used, err := k.Ask(ctx, mara)
		used()
		left <- err
	}()
	<-asked
	k.mu.Lock()
	k.asked[mara].users++ // somebody else waits
	i := k.asked[mara]
	k.mu.Unlock()
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who has left gets %v", err)
	}
	close(free)
	next := New(k.Config, k)
	a, used, err := next.Ask(t.Context(), mara)
	if err != nil || !a.Allowed || len(asked) != 0 {
		t.Errorf("%+v (%v), asked %d times more", a, err, len(asked))
	}
	used()
	k.used(mara, i)
	if len(k.asked) != 0 || k.Stats() != (Stats{Allowed: 1}) || (*Keeper)(nil).Stats() != (Stats{}) {
		t.Errorf("%d questions are left, %+v", len(k.asked), k.Stats())
	}
	if next.one(t); len(asked) != 1 {
		t.Error("an answer that was used counts again")
	}
}

// Nobody is let in because others have taken all places.
func TestAsk_Places(t *testing.T) {
	t.Parallel()
	free, in := make(chan struct{}), make(chan struct{})
	k, _ := asking(t, func(w http.ResponseWriter, r *http.Request) {
		in <- struct{}{}
		<-free
		says(`{"allow": true}`)(w, r)
	}, func(c *Config) { c.Open = true })
	var all sync.WaitGroup
	for n := range mostQuestions {
		all.Go(func() {
			_, used, err := k.Ask(t.Context(), Question{Address: string(rune('a' + n))})
			if used(); err != nil {
				t.Error(err)
			}
		})
		<-in
	}
	if a, used, err := k.Ask(t.Context(), mara); !errors.Is(err, ErrBusy) || a.Allowed {
		t.Errorf("without a place: %+v, %v", a, err)
	} else {
		used()
	}
	close(free)
	all.Wait()
	if k.Stats().Busy != 1 || len(k.asked) != 0 {
		t.Errorf("%+v, %d left", k.Stats(), len(k.asked))
	}
}

// A panic costs those who wait for the answer, and lets nobody in.
func TestAsk_Panic(t *testing.T) {
	t.Parallel()
	k, _ := asking(t, says(`{"allow": true}`), func(c *Config) { c.Open, c.Clock = true, nil })
	a, used, err := k.Ask(t.Context(), mara)
	used()
	if err == nil || a.Allowed || len(k.places) != 0 {
		t.Errorf("%+v, %v, %d places are taken", a, err, len(k.places))
	}
}
