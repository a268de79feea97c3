package people

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

const (
	mostTables = 64 << 20 // bytes of database.json, which is read whole
	leastRow   = 100      // bytes of a row, whose ids alone take as many
)

// pocketID is the file database.json in the archive of pocket-id export. The tables are read whole.
type pocketID struct {
	Tables struct {
		Users []struct {
			ID       string  `json:"id"`
			Email    string  `json:"email"`
			Verified boolean `json:"email_verified"`
			First    string  `json:"first_name"`
			Last     string  `json:"last_name"`
			Locale   string  `json:"locale"`
			Disabled boolean `json:"disabled"`
			Created  instant `json:"created_at"`
		} `json:"users"`
		Keys []struct {
			UserID   string  `json:"user_id"`
			Name     string  `json:"name"`
			ID       string  `json:"credential_id"`
			Key      string  `json:"public_key"`
			Ways     string  `json:"transport"` // JSON in base64
			Eligible bool    `json:"backup_eligible"`
			BackedUp boolean `json:"backup_state"`
			Created  instant `json:"created_at"`
		} `json:"webauthn_credentials"`
	} `json:"tables"`
}

func openPocketID(r io.Reader, o Options) (Reader, error) {
	in, err := text(r)
	if err != nil {
		return nil, err
	}
	whole, err := io.ReadAll(io.LimitReader(in, mostTables+1))
	if err != nil {
		return nil, err
	}
	if len(whole) > mostTables {
		return nil, fmt.Errorf("the file is longer than %d bytes", mostTables)
	}
	var e pocketID
	ignored, err := decodeUpTo(MostValues+len(whole)/leastRow, whole, &e, nil)
	if err != nil {
		return nil, fmt.Errorf("%v", err) // it ends the reading, as no Problem does
	}
	l, keys := &listed{}, map[string][]Passkey{}
	for _, k := range e.Tables.Keys {
		var ways []string
		b, _ := base64.StdEncoding.DecodeString(k.Ways)
		_ = json.Unmarshal(b, &ways) // it may be missing
		keys[k.UserID] = append(keys[k.UserID], Passkey{
			ID: urlSafe(k.ID), PublicKey: urlSafe(k.Key), Transports: ways, BackupEligible: &k.Eligible, BackedUp: bool(k.BackedUp),
			UserHandle: base64.RawURLEncoding.EncodeToString([]byte(k.UserID)), Name: k.Name, CreatedAt: k.Created.time(),
		})
	}
	for i, u := range e.Tables.Users {
		p, at := Person{
			Subject: o.subject(u.ID), Email: u.Email, EmailVerified: bool(u.Verified), Name: full(u.First, u.Last), Locale: u.Locale,
			State: state(u.Disabled), CreatedAt: u.Created.time(),
		}, Place{Entry: fmt.Sprintf("tables.users[%d]", i)}
		for _, k := range keys[u.ID] {
			o.passkey(&p, &at, k)
		}
		if i == 0 {
			at.Ignored = append(at.Ignored, ignored...)
		}
		l.people, l.places = append(l.people, p), append(l.places, at)
	}
	return l, nil
}
