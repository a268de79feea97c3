package admin

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"portico/internal/apikey"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/once"
	"portico/internal/server"
)

// program returns the program that sends a request with an API key. The response to a key that does not
// work names the scheme, as RFC 6750 wants it.
func (a *Admin) program(w http.ResponseWriter, r *http.Request, sent []string, o operation) (flow.Actor, error) {
	by, err := flow.Actor{}, error(apikey.Unknown)
	if scheme, text := server.Credentials(sent[0]); len(sent) == 1 && strings.EqualFold(scheme, "Bearer") {
		by, err = a.Operator.ByKey(r.Context(), a.Actions.Caller(w, r), text)
	}
	challenge := `Bearer error="invalid_token"`
	if err == nil {
		challenge = `Bearer error="insufficient_scope"`
		err = by.MayUse(o.Access.Scope)
	}
	if err == nil {
		return by, nil
	}
	if kind := fault.From(err).Kind; kind == fault.Unauthenticated || kind == fault.Forbidden {
		w.Header().Set("Www-Authenticate", challenge)
	}
	return by, err
}

// shownOnce is an answer with a secret that is in one response only.
type shownOnce interface{ shownOnce() }

// tellQuota sets the headers of draft-ietf-httpapi-ratelimit-headers.
func tellQuota(w http.ResponseWriter, q flow.Quota) {
	w.Header().Set("Ratelimit-Policy", fmt.Sprintf(`"admin";q=%d;w=%d`, q.Count, q.Window/time.Second))
	w.Header().Set("Ratelimit", fmt.Sprintf(`"admin";r=%d;t=%d`, q.Left, q.Resets/time.Second))
}

// runOnce answers a change with an Idempotency-Key. Only what was carried out is remembered: a
// request that was refused has changed nothing, and can be sent again.
func (a *Admin) runOnce(w http.ResponseWriter, r *http.Request, by flow.Actor, o operation) error {
	sent := r.Header.Values(once.Header)
	key, ok := once.Parse(sent[0])
	if !ok || len(sent) > 1 {
		return once.BadKey
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	asked := sha256.Sum256([]byte(r.Method + " " + r.URL.RequestURI() + "\n" + string(body)))
	ctx := r.Context()
	by, answer, err := a.Operator.Once(ctx, by, key, asked[:])
	if err != nil {
		return err
	}
	if answer != "" {
		return server.WriteJSON(w, http.StatusOK, json.RawMessage(answer))
	}
	out, err := o.run(r, by)
	if err != nil {
		if free := a.Operator.Refused(ctx, by); free != nil {
			server.Note(w, free)
		}
		return err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if _, secret := out.(shownOnce); secret {
		text = []byte(once.NotKept)
	}
	if err := a.Operator.Answered(ctx, by, string(text)); err != nil {
		return err
	}
	return server.WriteJSON(w, http.StatusOK, out)
}
