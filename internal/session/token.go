package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"portico/internal/secret"
)

// A personal access token is checked like the token of a session, from the same memory, which drops it when
// anything about its account changes. It has no idle end, and is for one app. A browser cannot use it: Check
// and Peek refuse its spelling. The functions here take any: their caller checks it, because the memory has
// sessions, too.

// ByToken is the method of a personal access token: the user has proven nothing.
const ByToken = "token"

const tokenID = "token "

// TokenID returns the id of the session that stands for a personal access token with an id.
func TokenID(id string) string { return tokenID + id }

// Narrowed returns the roles of a user that a token has.
func Narrowed(held, most []string) []string {
	return slices.DeleteFunc(slices.Clone(held), func(r string) bool { return !slices.Contains(most, r) })
}

// Token is Check for a personal access token, or Peek if this is no use.
func (k *Keeper) Token(ctx context.Context, store Store, text string, use bool) (Found, error) {
	hash, now := key(secret.Hash(text)), k.Clock.Now()
	entry, err := k.findToken(ctx, store, hash, now)
	if err != nil {
		return Found{}, err
	}
	seen := entry.lastSeen()
	if use {
		k.cache.use(entry, now)
	}
	return entry.foundAt(seen), nil
}

// TokenKept is Token for a valid one in memory, without the database.
func (k *Keeper) TokenKept(text string, use bool) (Found, bool) {
	now := k.Clock.Now()
	entry := k.cache.get(key(secret.Hash(text)))
	if entry == nil || k.over(entry.found, entry.lastSeen(), now) != "" {
		return Found{}, false
	}
	seen := entry.lastSeen()
	if use {
		k.cache.use(entry, now)
	}
	return entry.foundAt(seen), true
}

func (k *Keeper) findToken(ctx context.Context, store Store, hash key, now time.Time) (*entry, error) {
	entry := k.cache.get(hash)
	if entry == nil {
		var err error
		if entry, err = k.load(ctx, store.TokenByHash, hash); err != nil {
			return nil, err
		}
		if entry == nil {
			return nil, Required
		}
	}
	if why := k.over(entry.found, entry.lastSeen(), now); why != "" {
		k.cache.drop(hash)
		return nil, ended(why)
	}
	return entry, nil
}

// TokenSeen returns the last use of a personal access token, as far as the memory knows it.
func (k *Keeper) TokenSeen(id string) time.Time { return k.cache.seen(TokenID(id)) }

// touch writes the last uses of sessions and tokens.
func touch(ctx context.Context, tx Store, all []Use) error {
	var sessions, tokens []Use
	for _, u := range all {
		if id, ok := strings.CutPrefix(u.ID, tokenID); ok {
			tokens = append(tokens, Use{id, u.Seen})
		} else {
			sessions = append(sessions, u)
		}
	}
	if err := tx.TouchSessions(ctx, sessions); err != nil {
		return err
	}
	return tx.TouchTokens(ctx, tokens)
}
