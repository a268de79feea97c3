package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// current has the fields of the product's answer.
type current struct {
	User struct {
		ID    string `json:"id"`
		Email string `json:"email"`
		Name  string `json:"name"`
		Roles any    `json:"roles"`
	} `json:"user"`
	Session struct {
		ID              string    `json:"id"`
		CreatedAt       time.Time `json:"created_at"`
		AuthenticatedAt time.Time `json:"authenticated_at"`
		ExpiresAt       time.Time `json:"expires_at"`
		IdleExpiresAt   time.Time `json:"idle_expires_at"`
		Methods         any       `json:"methods"`
	} `json:"session"`
}

func newCurrent(n int, created time.Time) *current {
	c := new(current)
	c.User.ID, c.User.Email, c.User.Roles = accountID(n), address(n), []string{}
	c.Session.ID, c.Session.Methods = sessionID(n), []string{"password"}
	c.Session.CreatedAt, c.Session.AuthenticatedAt = created, created
	c.Session.ExpiresAt, c.Session.IdleExpiresAt = created.AddDate(0, 1, 0), created.AddDate(0, 0, 7)
	return c
}

// sessionLimit is the least work that can name the user of a cookie: net/http,
// the cookie, SHA-256, a map in shards, JSON.
func sessionLimit(_ context.Context, args []string) error {
	count, err := number(args, 0)
	if err != nil {
		return err
	}
	type key [sha256.Size]byte
	type shard struct {
		sync.RWMutex
		sessions map[key]*current
	}
	var shards [64]shard
	now := time.Now().UTC().Truncate(time.Microsecond)
	for n := range count {
		k := key(sha256.Sum256([]byte(token(n))))
		s := &shards[k[0]%64]
		if s.sessions == nil {
			s.sessions = map[key]*current{}
		}
		s.sessions[k] = newCurrent(n, now)
	}
	return serveLimit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(sessionCookie)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		k := key(sha256.Sum256([]byte(cookie.Value)))
		s := &shards[k[0]%64]
		s.RLock()
		found := s.sessions[k]
		s.RUnlock()
		if found == nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answerJSON(w, found)
	}))
}

func answerJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
