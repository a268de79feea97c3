package passkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"

	"portico/internal/origin"
)

// strict refuses what the library accepts and no browser or authenticator makes. It refuses
// client data with two members of one name, because parsers differ in which one they take.
// It refuses an origin in a spelling that browsers do not write, and reserved flags.
func strict(clientData []byte, site string, flags protocol.AuthenticatorFlags) error {
	if err := origin.Check(site); err != nil {
		return Refused.WithCause(err)
	}
	if flags&(protocol.FlagRFU1|protocol.FlagRFU2) != 0 {
		return Refused.WithCause(errors.New("a reserved flag is set"))
	}
	dec := json.NewDecoder(bytes.NewReader(clientData))
	if _, err := dec.Token(); err != nil { // the brace
		return Refused.WithCause(err)
	}
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return Refused.WithCause(err)
		}
		// The library takes a name in any case.
		key := strings.ToLower(strings.ToUpper(fmt.Sprint(name)))
		if seen[key] {
			return Refused.WithCause(fmt.Errorf("the client data has %.40q twice", key))
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return Refused.WithCause(err)
		}
	}
	return nil
}
