package passkey

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// Life is how long a challenge is valid.
const Life = 5 * time.Minute

// Purpose is what a challenge may be used for.
type Purpose string

const (
	SignIn Purpose = "sign in" // its subject is ""
	Add    Purpose = "add"     // its subject is a session, or a flow that waits for a second factor
	Quiet  Purpose = "quiet"   // as Add; the browser adds by itself what its user did not ask for
	First  Purpose = "first"   // of a new account; its subject is a flow
)

// NonceSize is the number of random bytes of a challenge (NIST SP 800-63B-4 3.1.6.2 asks
// for 8).
const NonceSize = 16

const (
	plainSize = NonceSize + 8 // with the end
	sumSize   = 32
)

// Challenge returns a new challenge for a browser, by its browser cookie.
func (k *Keeper) Challenge(p Purpose, browser, subject string) string {
	b := make([]byte, plainSize, plainSize+sumSize)
	_, _ = rand.Read(b[:NonceSize]) // never fails
	binary.BigEndian.PutUint64(b[NonceSize:], uint64(k.clock.Now().Add(Life).Unix()))
	return secret.Encode(append(b, k.sum(b, p, browser, subject)...))
}

func (k *Keeper) sum(plain []byte, p Purpose, browser, subject string) []byte {
	return k.mac.Sum(string(plain), string(p), browser, subject, k.host)
}

// made reports whether this site made a challenge. While the master key is being changed, a
// sign-in that began before continues. An addition begins again, because its user handle
// was made from the former key.
func (k *Keeper) made(b []byte, p Purpose, browser, subject string) bool {
	if p == SignIn {
		return k.mac.Is(b[plainSize:], string(b[:plainSize]), string(p), browser, subject, k.host)
	}
	return secret.Equal(b[plainSize:], k.sum(b[:plainSize], p, browser, subject))
}

// Spend uses up a challenge. It returns Expired for one that has ended or was used
// before, and Refused for one that this site did not make for this purpose,
// browser and subject.
func (k *Keeper) Spend(ctx context.Context, tx Store, challenge string, p Purpose, browser, subject string) error {
	b, ok := secret.Decode(challenge)
	if !ok || len(b) != plainSize+sumSize || !secret.ValidToken(browser) {
		return Refused
	}
	if !k.made(b, p, browser, subject) {
		return Refused
	}
	end := time.Unix(int64(binary.BigEndian.Uint64(b[NonceSize:plainSize])), 0)
	if !clock.Valid(end, Life, k.clock.Now()) {
		return Expired
	}
	first, err := tx.SpendTicket(ctx, secret.Hash("passkey challenge "+challenge), end.Add(clock.MaxSkew))
	if err == nil && !first {
		return Expired
	}
	return err
}
