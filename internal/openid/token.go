package openid

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/ids"
	"portico/internal/secret"
)

// The kinds of tokens, each with a keyed hash of its own.
const (
	kindCode    = "code"
	kindRefresh = "refresh"
	kindAccess  = "access"
)

// token is the content of a code, a refresh token or an access token.
type token struct {
	grant      string
	generation int64     // none in a code
	ends       time.Time // when an access token expires
	mask       uint64    // the resources of an access token; see mask
	key        string    // thumbprint of the key that an access token belongs to
	scopes     uint64    // the scopes of an access token; see mask
}

// write returns the text of a token: its content, and the keyed hash over kind and
// content.
func (k *Keeper) write(kind string, t token) string {
	text := t.grant
	switch kind {
	case kindRefresh:
		text += "." + strconv.FormatInt(t.generation, 36)
	case kindAccess:
		text = t.parts()
	}
	return text + "." + secret.Encode(k.mac.Sum(kind, text))
}

// read returns the content of a token that write has made for the kind.
func (k *Keeper) read(kind, text string) (t token, ok bool) {
	at := strings.LastIndexByte(text, '.')
	if at < 0 || len(text) > 200 {
		return token{}, false
	}
	hash, ok := secret.Decode(text[at+1:])
	if !ok || !k.mac.Is(hash, kind, text[:at]) {
		return token{}, false
	}
	return split(text[:at])
}

// Issued reports whether this installation has made a text as a code or a token, whether or not it works.
func (k *Keeper) Issued(text string) bool {
	at := strings.LastIndexByte(text, '.')
	if at < 0 || len(text) > maxMachine {
		return false
	}
	hash, ok := secret.Decode(text[at+1:])
	return ok && slices.ContainsFunc([]string{kindCode, kindRefresh, kindAccess, kindMachine}, func(kind string) bool {
		return k.mac.Is(hash, kind, text[:at])
	})
}

// split returns the content of a token whose hash or signature was verified, so that
// write has made the numbers.
func split(text string) (t token, ok bool) {
	parts := strings.Split(text, ".")
	t.grant = parts[0]
	if len(parts) > 1 {
		t.generation, _ = strconv.ParseInt(parts[1], 36, 64)
	}
	if len(parts) == accessParts {
		seconds, _ := strconv.ParseInt(parts[2], 36, 64)
		t.ends = time.Unix(seconds, 0)
		t.mask, _ = strconv.ParseUint(parts[3], 36, 64)
		t.scopes, _ = strconv.ParseUint(parts[4], 36, 64)
		t.key = parts[5]
	}
	return t, ids.Valid(t.grant)
}
