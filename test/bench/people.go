package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"portico/internal/ids"
)

// people are the accounts that an installation is loaded with. They are
// numbered from 0, and so are their sessions: session n is one of person n.
// What belongs to a number is computed from it, in Go and in SQL alike, so that
// nothing has to be remembered of ten million.
type people struct {
	count    int
	sessions int    // the first so many have one
	verifier string // of the password that all have
}

// mostSessions bounds the time that loading takes; how many there are does not
// matter to a lookup that is compared with one among ten thousand.
const mostSessions = 1_000_000

const goodPassword = "copper lantern over seven hills"

func address(n int) string { return "u" + strconv.Itoa(n) + "@bench.test" }

// accountID is spread over the index as a real one is.
func accountID(n int) string { return identifier("account " + strconv.Itoa(n)) }

func sessionID(n int) string { return identifier("session " + strconv.Itoa(n)) }

// identifier has the form of internal/ids: all hexadecimal digits are in its
// alphabet, and the last character carries three bits only.
func identifier(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:ids.Length-1] + "0"
}

// token is what the cookie of a session carries; the database has its SHA-256.
func token(n int) string {
	sum := sha256.Sum256([]byte("token " + strconv.Itoa(n)))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
