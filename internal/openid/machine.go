package openid

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Machine is the content of an access token that a client has obtained for itself (RFC
// 6749 4.4). It has no row: a token that is revoked has one.
type Machine struct {
	ID        string    `json:"jti"`
	ClientID  string    `json:"sub"`
	Scopes    []string  `json:"scope,omitempty"`
	Resources []string  `json:"aud,omitempty"`
	Ends      time.Time `json:"exp"`
	Key       string    `json:"jkt,omitempty"` // thumbprint of the key that it belongs to
}

// MachineStore has the operations of the database for these tokens.
type MachineStore interface {
	// SpendTicket stores a hash until a time, and reports whether this call was the
	// first.
	SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error)
	// TicketSpent reports whether a hash is stored. It does not look at the time.
	TicketSpent(ctx context.Context, hash []byte) (bool, error)
}

// Employ returns an access token for the client itself, and its content, or an Error.
// scopes are the asked ones, "" for all that the client may have. key is the
// thumbprint of the key that the token is for, "" for none.
func (k *Keeper) Employ(client Client, scopes string, asked []string, key string) (access string, m Machine, err error) {
	if !client.Machine {
		return "", Machine{}, mayNotUse("client_credentials", "it")
	}
	if err := client.wants(key); err != nil {
		return "", Machine{}, err
	}
	m = Machine{ID: ids.New(), Key: key, ClientID: client.ID, Scopes: client.OwnScopes, Ends: k.clock.Now().Add(AccessLife).Truncate(time.Second)}
	if m.Resources, err = resources(asked, client.Resources); err != nil {
		return "", Machine{}, err
	}
	if scopes != "" {
		m.Scopes = nil
		for _, scope := range strings.Fields(scopes) {
			if !slices.Contains(client.OwnScopes, scope) {
				return "", Machine{}, &Error{"invalid_scope", "the client may not use one of the scopes: allow it in the client_scopes of the client"}
			}
			m.Scopes = append(m.Scopes, scope)
		}
	}
	content, err := json.Marshal(m)
	if err != nil {
		return "", Machine{}, err
	}
	text := secret.Encode(content)
	if access = text + "." + secret.Encode(k.mac.Sum(kindMachine, text)); len(access) > maxMachine {
		return "", Machine{}, &Error{"invalid_scope", "the token would be too long: request fewer scopes or resources"}
	}
	return access, m, nil
}

// kindMachine is the kind of these tokens.
const kindMachine = "machine"

// maxMachine is the size limit of such a token in bytes.
const maxMachine = 8 << 10

// ReadMachine returns the content of a token that Employ has made.
func (k *Keeper) ReadMachine(access string) (m Machine, ok bool) {
	text, sum, _ := strings.Cut(access, ".")
	hash, ok := secret.Decode(sum)
	if !ok || len(access) > maxMachine || !k.mac.Is(hash, kindMachine, text) {
		return Machine{}, false
	}
	content, ok := secret.Decode(text)
	return m, ok && json.Unmarshal(content, &m) == nil
}

// Employed reports whether a token with this content still works. The client must be
// one of today's.
func (k *Keeper) Employed(ctx context.Context, store MachineStore, client Client, m Machine) (bool, error) {
	if !client.Machine || client.ID != m.ClientID || !k.clock.Now().Before(m.Ends) {
		return false, nil
	}
	gone, err := store.TicketSpent(ctx, revoked(m))
	return !gone && err == nil, err
}

// Dismiss revokes a token with this content.
func (k *Keeper) Dismiss(ctx context.Context, tx MachineStore, m Machine) error {
	_, err := tx.SpendTicket(ctx, revoked(m), m.Ends.Add(clock.MaxSkew))
	return err
}

func revoked(m Machine) []byte { return secret.Hash("openid revoked " + m.ID) }
