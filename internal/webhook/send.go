package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/legible"
	"portico/internal/signature"
)

const (
	// Timeout bounds one attempt, its answer included.
	Timeout = 10 * time.Second

	// AnswerKept is how many bytes of an answer are read and kept.
	AnswerKept = 2 << 10

	// TestType is the type of the event that an operator sends to try a webhook.
	TestType = "portico.test"

	// version of the payload
	version = 1
)

// Payload is the body of a request. Fields are added to it; another meaning has another Version.
type Payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // of the change
	Data      Data      `json:"data"`
}

// Data is what has changed.
type Data struct {
	Version int    `json:"version"`
	User    string `json:"user"`              // the id of the account, as in X-Portico-User
	Change  string `json:"change"`            // the name of the audit record
	By      string `json:"by"`                // self, operator, admin, key, provider or stranger
	Account any    `json:"account,omitempty"` // what the event is about, as it is when it is sent
}

// Sender sends events. It is safe for concurrent use.
type Sender struct {
	Client *egress.Client
	Clock  clock.Clock
	// Account returns what an event of the type tells about an account, nil if the account is gone.
	Account func(ctx context.Context, id, kind string) (any, error)
}

// Send sends a delivery once.
func (s *Sender) Send(ctx context.Context, h Hook, d Delivery) Result {
	p := Payload{d.Type, d.At, Data{Version: version, User: d.AccountID, Change: d.Change, By: d.Actor}}
	if d.AccountID != "" {
		var err error
		if p.Data.Account, err = s.Account(ctx, d.AccountID, d.Type); err != nil {
			return failed("Portico could not read the account", err)
		}
	}
	body, err := json.Marshal(p)
	if err != nil {
		return failed("Portico could not write the event", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return failed("Portico could not write the event", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Portico-Webhook/1")
	signature.Sign(r.Header, d.ID, s.Clock.Now(), body, h.Keys...)
	answer, err := s.Client.Do(r)
	if err != nil {
		return Result{Answer: clip(legible.Clean(err.Error()+advice(err)), AnswerKept)}
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, AnswerKept)) // its status counts, whether it ends or not
	return Result{
		Status: answer.StatusCode, Answer: clip(legible.Clean(strings.ToValidUTF8(string(text), "\ufffd")), AnswerKept), Pause: pause(answer, s.Clock.Now()),
	}
}

// advice returns what to do about an attempt without an answer, or "".
func advice(err error) string {
	switch {
	case errors.Is(err, egress.ErrRefused):
		return ": write private = true if the receiver is in your network"
	case errors.Is(err, context.DeadlineExceeded):
		return ": the receiver must answer within ten seconds"
	}
	return ""
}

// pause returns how long a receiver that is busy asks Portico to wait.
func pause(answer *http.Response, now time.Time) time.Duration {
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		return 0
	}
	after := answer.Header.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil {
		return min(max(time.Duration(min(n, 1<<20))*time.Second, 0), mostPause)
	}
	if at, err := http.ParseTime(after); err == nil {
		return min(max(at.Sub(now), 0), mostPause)
	}
	return 0
}

// clip returns the beginning of a text.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
