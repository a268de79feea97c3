package signupask

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"portico/internal/ids"
	"portico/internal/legible"
	"portico/internal/signature"
)

// payload is the body of a question. Fields are added to it; another meaning has another version.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	Version int `json:"version"`
	Question
}

// ask sends a question. The errors have no part of it.
func (k *Keeper) ask(ctx context.Context, q Question) (Answer, error) {
	now := k.Clock.Now()
	body, err := json.Marshal(payload{"signup.question", now, data{1, q}})
	if err != nil {
		return Answer{}, err
	}
	h := http.Header{"User-Agent": {"Portico-Sign-Up/1"}}
	signature.Sign(h, "msg_"+ids.NewAt(now), now, body, k.Keys...)
	text, err := k.Client.PostJSON(ctx, k.URL, h, body)
	if err != nil {
		return Answer{}, err
	}
	return parse(text)
}

func parse(text []byte) (Answer, error) {
	var said map[string]json.RawMessage // a struct would take ALLOW for allow
	err := json.Unmarshal(text, &said)
	switch allow := string(said["allow"]); {
	case err != nil, allow != "true" && allow != "false":
		return Answer{}, errors.New(`its answer is not {"allow": true} or {"allow": false}`)
	case allow == "true":
		return Answer{Allowed: true}, nil
	}
	var reason, own string // a mistake in them does not undo the refusal
	_ = json.Unmarshal(said["reason"], &reason)
	_ = json.Unmarshal(said["text"], &own)
	if !slices.Contains([]string{ReasonDomain, ReasonUninvited}, reason) {
		reason = ""
	}
	if own = legible.Clean(own); utf8.RuneCountInString(own) > mostText {
		own = string([]rune(own)[:mostText-1]) + "…"
	}
	return Answer{Reason: reason, Text: own}, nil
}
