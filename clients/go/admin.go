package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	adminPath = "/auth/api/admin/"
	adminTime = 30 * time.Second // for one request
	maxPage   = 4 << 20
	mostTries = 5
	mostPause = time.Minute // as long as the limit of requests, and as a node that was killed holds an Idempotency-Key
	running   = "idempotency.running"
)

// Admin calls the admin API with a key. It is safe for concurrent use.
//
// The operations, with their bodies and answers, are in /auth/api/openapi.json of the
// installation. A path is what follows /auth/api/admin/ there, without a query.
type Admin struct {
	portico *portico
	key     string
	pause   func(ctx context.Context, d time.Duration) error
}

// NewAdmin returns a client of the Portico whose setting public_url is the given URL. Of the
// options it uses Address and Transport. It sends no request yet.
func NewAdmin(publicURL, key string, o Options) (*Admin, error) {
	c, err := New(publicURL, o)
	if err != nil {
		return nil, err
	}
	c.portico.http.Timeout = adminTime
	return &Admin{c.portico, key, wait}, nil
}

// Problem is a refusal of the admin API (RFC 9457).
type Problem struct {
	Status int
	Code   string            // stable, as "key.scope"
	Title  string            // what to do, for people
	Params map[string]string // what the code is about, as the "scope" that a key lacks
	Fields []struct {
		Name, Code string
		Params     map[string]string
	}
	RequestID  string        `json:"request_id"`
	RetryAfter time.Duration `json:"-"` // when to try again, 0 if the answer names no time
}

// Error implements error.
func (p *Problem) Error() string {
	text := fmt.Sprintf("portico refuses this: %s (%s)", p.Title, p.Code)
	for _, f := range p.Fields {
		text += fmt.Sprintf(", the field %s: %s", f.Name, f.Code)
	}
	return text
}

// Get reads into a struct, or a *json.RawMessage.
func (a *Admin) Get(ctx context.Context, path string, query url.Values, into any) error {
	return a.send(ctx, path, query, nil, "", into)
}

// Change sends a change and reads its answer, unless into is nil. If the connection breaks, or a
// limit is reached for at most a minute, it sends the change again, with the same
// Idempotency-Key: Portico carries it out once. After a node of Portico was killed, that takes over
// a minute, or until ctx ends.
func (a *Admin) Change(ctx context.Context, path string, body, into any) error {
	if body == nil {
		body = struct{}{}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return a.send(ctx, path, nil, text, rand.Text(), into)
}

// Pages reads a list to its end. T has the fields of a page, such as
//
//	struct{ People []struct{ ID, Address string } }
func Pages[T any](ctx context.Context, a *Admin, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		asked := url.Values{}
		for name, values := range query {
			asked[name] = values
		}
		for {
			var raw json.RawMessage
			var page T
			var more struct{ Next string }
			err := a.Get(ctx, path, asked, &raw)
			if err == nil {
				err = errors.Join(json.Unmarshal(raw, &page), json.Unmarshal(raw, &more))
			}
			if !yield(page, err) || err != nil || more.Next == "" {
				return
			}
			asked.Set("after", more.Next)
		}
	}
}

// send sends a request, which is a change if it has a body, until it is answered for good.
func (a *Admin) send(ctx context.Context, path string, query url.Values, body []byte, once string, into any) error {
	if strings.ContainsAny(path, "?#") { // a second query would break the one of Pages
		return fmt.Errorf("the path %q has a query, which is an argument of its own", path)
	}
	// A proxy in between may resolve "..", and hand the key to an app at the same host.
	if plain, err := url.PathUnescape(path); err != nil || strings.Contains("/"+strings.ReplaceAll(plain, `\`, "/")+"/", "/../") {
		return fmt.Errorf("the path %q is none below %s", path, adminPath)
	}
	address := strings.TrimSuffix(a.portico.address.String(), "/") + adminPath + strings.TrimPrefix(path, "/")
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	tries, waited := 0, time.Duration(0)
	for {
		after, err := a.sendOnce(ctx, address, body, once, into)
		if p := (*Problem)(nil); !errors.As(err, &p) || p.Code != running || waited >= mostPause {
			tries++
		}
		if err == nil || after < 0 || after > mostPause || tries == mostTries || ctx.Err() != nil {
			return err
		}
		pause := max(after, time.Second<<tries/4)
		if err := a.pause(ctx, pause); err != nil {
			return err
		}
		waited += pause
	}
}

// sendOnce sends a request. After an error it returns when to send it again, or a negative time.
func (a *Admin) sendOnce(ctx context.Context, address string, body []byte, once string, into any) (time.Duration, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	r.Host = a.portico.host
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Authorization", "Bearer "+a.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", strconv.Quote(once))
	}
	answer, err := a.portico.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxPage+1))
	switch {
	case err != nil:
		return 0, err
	case answer.StatusCode == http.StatusOK && into == nil:
		return 0, nil
	case answer.StatusCode == http.StatusOK:
		return -1, json.Unmarshal(text, into)
	}
	refused := &Problem{Status: answer.StatusCode}
	if json.Unmarshal(text, refused) != nil {
		refused.Title = http.StatusText(answer.StatusCode) // of a proxy in between
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	refused.RetryAfter = time.Duration(seconds) * time.Second
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= 500 || refused.Code == running {
		return refused.RetryAfter, refused
	}
	return -1, refused
}

// wait waits for a time, or until the context ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
