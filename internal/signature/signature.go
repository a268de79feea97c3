// Package signature signs the requests that Portico sends to servers of the operator, so that
// they can tell them from requests of others. The form is that of Standard Webhooks
// (https://www.standardwebhooks.com), for which libraries exist in most languages:
// HMAC-SHA-256 over the id, the time and the body.
//
// It does not send anything, and it does not choose ids. The receiver refuses a time
// that is more than minutes away, and an id that it has seen.
package signature

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a signed request.
const (
	HeaderID        = "webhook-id"
	HeaderTime      = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

const (
	prefix = "whsec_"
	least  = 24 // bytes of a key, as the specification says
	most   = 64
	usual  = 32 // bytes of a new key
)

// ErrKey says that a text is not a key.
var ErrKey = errors.New("it must be " + prefix + " and 24 to 64 bytes in base64")

// Key is a secret that Portico and the receiver share. Formatting never prints it.
type Key struct{ bytes []byte }

// String makes formatting print no key.
func (Key) String() string { return prefix + "..." }

// GoString is String for %#v.
func (k Key) GoString() string { return k.String() }

// NewKey returns the text of a new random key.
func NewKey() string {
	raw := make([]byte, usual)
	_, _ = rand.Read(raw) // never fails
	return prefix + base64.StdEncoding.EncodeToString(raw)
}

// ParseKey reads the text of a key. The error is ErrKey, and never has the text.
func ParseKey(text string) (Key, error) {
	body, ok := strings.CutPrefix(text, prefix)
	raw, err := base64.StdEncoding.DecodeString(body)
	if !ok || err != nil || len(raw) < least || len(raw) > most {
		return Key{}, ErrKey
	}
	return Key{raw}, nil
}

// Sign sets the headers of a request with the body. Several keys make several signatures,
// of which the receiver needs one: so a key can be changed while requests arrive.
func Sign(h http.Header, id string, at time.Time, body []byte, keys ...Key) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var all []string
	for _, k := range keys {
		mac := hmac.New(sha256.New, k.bytes)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body) // never fails
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	h.Set(HeaderID, id)
	h.Set(HeaderTime, stamp)
	h.Set(HeaderSignature, strings.Join(all, " "))
}
