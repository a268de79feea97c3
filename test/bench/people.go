package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"portico/internal/ids"
)

// people are the accounts of an installation, numbered from 0. Session n
// belongs to account n. All values are computed from the number, in Go and in
// SQL alike, so that nothing has to be stored for ten million accounts.
type people struct {
	count    int
	sessions int    // the first so many accounts have one
	verifier string // of the password of all accounts
}

// mostSessions limits the time of loading. The number of sessions does not
// affect a lookup that is compared with one among ten thousand.
const mostSessions = 1_000_000

const goodPassword = "copper lantern over seven hills"

func address(n int) string { return "u" + strconv.Itoa(n) + "@bench.test" }

// accountID is spread over the index as a real id is.
func accountID(n int) string { return identifier("account " + strconv.Itoa(n)) }

func sessionID(n int) string { return identifier("session " + strconv.Itoa(n)) }

// identifier has the form of internal/ids. Hexadecimal digits are in its
// alphabet, and the last character carries only three bits.
func identifier(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:ids.Length-1] + "0"
}

// token is the value of a session's cookie. The database has its SHA-256.
func token(n int) string {
	sum := sha256.Sum256([]byte("token " + strconv.Itoa(n)))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
