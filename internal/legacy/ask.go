package legacy

import (
	"context"
	"encoding/json"
	"errors"
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
	now := k.Clock.Now()
	body, err := json.Marshal(payload{"signin.password", now, data{1, q.Address, q.Subject, q.Password}})
	if err != nil {
		return false, err
	}
	h := http.Header{"User-Agent": {"Portico-Legacy/1"}}
	signature.Sign(h, "msg_"+ids.NewAt(now), now, body, k.Keys...)
	text, err := k.Client.PostJSON(ctx, k.URL, h, body)
	if err != nil {
		return false, err
	}
	var said struct {
		Right *bool `json:"right"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Right == nil {
		return false, errors.New(`its answer is not {"right": true} or {"right": false}`)
	}
	return *said.Right, nil
}
