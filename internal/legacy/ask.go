package legacy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"portico/internal/ids"
	"portico/internal/signature"
)

// payload is the body of a question. Fields are added to it; another meaning has another version.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	Version  int    `json:"version"`
	Email    string `json:"email"`
	Subject  string `json:"subject,omitempty"`
	Password string `json:"password"`
}

// ask sends a question. The errors have no part of it.
func (k *Keeper) ask(ctx context.Context, q Question) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	now := k.Clock.Now()
	body, err := json.Marshal(payload{"signin.password", now, data{1, q.Address, q.Subject, q.Password}})
	if err != nil {
		return false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, k.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Portico-Legacy/1")
	signature.Sign(r.Header, "msg_"+ids.NewAt(now), now, body, k.Keys...)
	answer, err := k.Client.HTTP().Do(r)
	if err != nil {
		return false, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return false, fmt.Errorf("it answered %d", answer.StatusCode)
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return false, fmt.Errorf("the type of its answer is %q, not application/json", answer.Header.Get("Content-Type"))
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return false, err
	}
	var said struct {
		Right *bool `json:"right"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Right == nil {
		return false, fmt.Errorf(`its answer is not {"right": true} or {"right": false}`)
	}
	return *said.Right, nil
}
