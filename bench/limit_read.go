package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"
)

// readLimit is sessionLimit with one indexed read in place of the map.
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
		var created, expires int64
		err = find(hash[:]).Scan(&c.Session.ID, &created, &expires, &c.User.ID, &c.User.Email, &c.User.Name)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		c.User.Roles, c.Session.Methods = []string{}, []string{"password"}
		c.Session.CreatedAt, c.Session.ExpiresAt = time.UnixMicro(created).UTC(), time.UnixMicro(expires).UTC()
		c.Session.AuthenticatedAt, c.Session.IdleExpiresAt = c.Session.CreatedAt, c.Session.ExpiresAt
		answerJSON(w, c)
	}))
}
