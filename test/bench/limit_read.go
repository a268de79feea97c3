package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// readLimit is sessionLimit with one indexed read instead of the map.
func readLimit(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("name the engine and the URL")
	}
	e, err := engineNamed(args[0])
	if err != nil {
		return err
	}
	find, err := e.lookup(ctx, args[1])
	if err != nil {
		return err
	}
	return serveLimit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(sessionCookie)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		hash := sha256.Sum256([]byte(cookie.Value))
		c := new(current)
		var created, authenticated, expires, seen int64
		var methods, roles string
		err = find(hash[:]).Scan(&c.Session.ID, &created, &authenticated, &expires, &seen, &methods,
			&c.User.ID, &c.User.Email, &c.User.Name, &roles)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// The database stores lists as JSON, which is also their form in the
		// answer.
		c.Session.Methods, c.User.Roles = json.RawMessage(methods), json.RawMessage(roles)
		c.Session.CreatedAt, c.Session.AuthenticatedAt = fromMicros(created), fromMicros(authenticated)
		c.Session.ExpiresAt, c.Session.IdleExpiresAt = fromMicros(expires), fromMicros(seen).AddDate(0, 0, 7)
		answerJSON(w, c)
	}))
}

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }
