package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"
)

// adminOf returns a client of a stand-in that answers with fn, and the pauses that it makes.
func adminOf(t *testing.T, fn http.HandlerFunc) (*Admin, *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(fn)
	t.Cleanup(server.Close)
	a, err := NewAdmin(server.URL, "portico_key_x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	a.pause = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	return a, &pauses
}

func TestPages_ReadsToTheEnd(t *testing.T) {
	t.Parallel()
	a, _ := adminOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer portico_key_x" || r.URL.Path != "/auth/api/admin/people" || r.URL.Query().Get("role") != "staff" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		switch r.URL.Query().Get("after") {
		case "":
			fmt.Fprint(w, `{"people":[{"id":"1"},{"id":"2"}],"next":"a&b"}`)
		case "a&b":
			fmt.Fprint(w, `{"people":[],"next":"c","searched":true}`)
		default:
			fmt.Fprint(w, `{"people":[{"id":"3"}]}`)
		}
	})
	query := url.Values{"role": {"staff"}}
	var ids []string
	for page, err := range Pages[struct{ People []struct{ ID string } }](t.Context(), a, "people", query) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.People {
			ids = append(ids, p.ID)
		}
	}
	if !slices.Equal(ids, []string{"1", "2", "3"}) || query.Has("after") {
		t.Errorf("the list has %v, and the query of the caller is %v", ids, query)
	}
}

func TestAdmin_SendsAgainOnce(t *testing.T) {
	t.Parallel()
	var keys []string
	a, pauses := adminOf(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		keys = append(keys, r.Header.Get("Idempotency-Key")+string(body))
		switch len(keys) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.WriteHeader(http.StatusBadGateway)
		default:
			fmt.Fprint(w, `{"ended":2}`)
		}
	})
	var done struct{ Ended int }
	if err := a.Change(t.Context(), "people/1/end-sessions", nil, &done); err != nil || done.Ended != 2 {
		t.Fatalf("the change is answered %+v, %v", done, err)
	}
	if slices.Sort(keys); len(keys) != 4 || keys[0] != keys[3] || keys[0][0] != '"' {
		t.Errorf("the requests have the keys %q", keys)
	}
	if len(*pauses) != 3 || (*pauses)[1] != 7*time.Second {
		t.Errorf("the pauses are %v", *pauses)
	}
}

// The node that carried out the first request was killed. The others answer that it is running, for a minute.
func TestAdmin_WaitsForARequestOfAKilledNode(t *testing.T) {
	t.Parallel()
	for held, want := range map[time.Duration]string{time.Minute: "", time.Hour: "idempotency.running"} {
		sent, waited := 0, time.Duration(0)
		a, _ := adminOf(t, func(w http.ResponseWriter, _ *http.Request) {
			switch sent++; {
			case sent == 1:
				panic(http.ErrAbortHandler)
			case waited < held:
				w.Header().Set("Retry-After", "1")
				http.Error(w, `{"code":"idempotency.running"}`, http.StatusConflict)
			default:
				fmt.Fprint(w, `{}`)
			}
		})
		a.pause = func(_ context.Context, d time.Duration) error { waited += d; return nil }
		code, err := "", a.Change(t.Context(), "people/1/link", nil, nil)
		if p, ok := asProblem(err); ok {
			code = p.Code
		}
		if code != want || (err == nil) != (want == "") || waited > 2*time.Minute {
			t.Errorf("held for %v: %d requests within %v end with %v", held, sent, waited, err)
		}
	}
}

func TestAdmin_WaitsAMinuteAtMost(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]int{"60": mostTries, "3600": 1} {
		sent, told := 0, map[string]string{"60": "1m0s", "3600": "1h0m0s"}[after]
		a, pauses := adminOf(t, func(w http.ResponseWriter, _ *http.Request) {
			sent++
			w.Header().Set("Retry-After", after)
			http.Error(w, `{"code":"throttle.limited"}`, http.StatusTooManyRequests)
		})
		refused, ok := asProblem(a.Change(t.Context(), "people/1/link", nil, nil))
		if !ok || refused.Code != "throttle.limited" || refused.RetryAfter.String() != told || sent != want || len(*pauses) != want-1 {
			t.Errorf("Retry-After %s: %d requests with the pauses %v end with %+v, want %d", after, sent, *pauses, refused, want)
		}
	}
}

func TestAdmin_StaysBelowItsPath(t *testing.T) {
	t.Parallel()
	sent := 0
	a, _ := adminOf(t, func(w http.ResponseWriter, _ *http.Request) { sent++; fmt.Fprint(w, `{}`) })
	for _, path := range []string{"people?role=left", "people#left", "../session", "people/../../../../shop", "people/%2e%2E/x", `people/..\x`, "people/%"} {
		var page struct{}
		errs := []error{a.Get(t.Context(), path, nil, &page), a.Change(t.Context(), path, nil, nil)}
		for _, err := range Pages[struct{}](t.Context(), a, path, nil) {
			errs = append(errs, err)
		}
		if slices.Contains(errs, nil) || sent > 0 {
			t.Errorf("%s: %d requests are sent, with the errors %v", path, sent, errs)
		}
	}
}

func TestAdmin_SaysWhatWasRefused(t *testing.T) {
	t.Parallel()
	sent := 0
	a, _ := adminOf(t, func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"status":422,"code":"invalid","title":"Check the fields.","params":{"scope":"x"},"fields":[{"name":"role","code":"role.invalid","params":{"most":"3"}}],"request_id":"r1"}`)
	})
	err := a.Change(t.Context(), "people/1/roles", map[string][]string{"give": {"no role"}}, nil)
	refused, ok := asProblem(err)
	if !ok || refused.Code != "invalid" || refused.RequestID != "r1" || refused.Fields[0].Name != "role" || refused.Params["scope"] != "x" || refused.Fields[0].Params["most"] != "3" || sent != 1 {
		t.Errorf("%d requests end with %v", sent, err)
	}
}

func asProblem(err error) (p *Problem, ok bool) {
	ok = errors.As(err, &p)
	return p, ok
}
