package masterkey

import (
	"context"
	"time"

	"portico/internal/secret"
)

// Place is where the database holds sealed data: the purpose of its box.
type Place string

// The places. Boxes of other purposes seal only what browsers hold.
const (
	Flows       Place = "flow"
	Outbox      Place = "outbox"
	SigningKeys Place = "keys"
	Factors     Place = "factor"
	Formers     Place = "password former"
	Chain       Place = "audit" // audit.BoxPurpose
	Parts       Place = "job part"
)

// Places returns all places.
func Places() []Place { return []Place{Flows, Outbox, SigningKeys, Factors, Formers, Chain, Parts} }

// Row is one sealed value.
type Row struct {
	ID      string
	Context string // that it was sealed with
	Sealed  []byte
}

// Former is a master key that was replaced.
type Former struct {
	ID        string
	Pepper    []byte    // the key of its password hashes, sealed
	ChangedAt time.Time // from when on the next key has sealed
	DoneAt    time.Time // zero: sealed rows of it may be left
}

// Owed is what a former key is needed for, apart from sealed rows.
type Owed struct {
	Steps  int // pending steps from before the change, with mailed codes
	Grants int // grants of OpenID clients whose newest refresh token is from before
}

// Store is what this package needs of the database.
type Store interface {
	// SealedRows returns up to limit rows of a place whose ids follow after, in the
	// order of their ids.
	SealedRows(ctx context.Context, place Place, after string, limit int) ([]Row, error)
	// Reseal replaces the sealed value of a row if it still is before, and reports
	// whether it was.
	Reseal(ctx context.Context, place Place, id string, before, after []byte) (bool, error)
	// FormerKeys returns the keys that were replaced, the latest first.
	FormerKeys(ctx context.Context) ([]Former, error)
	// SaveFormerKey adds a key or replaces it.
	SaveFormerKey(ctx context.Context, f Former) error
	// DeleteFormerKey deletes a key that is used again.
	DeleteFormerKey(ctx context.Context, id string) error
	// OwedToFormerKey counts what is from before a time and still valid now.
	OwedToFormerKey(ctx context.Context, before, now time.Time) (Owed, error)
}

// Database runs transactions, as flow.Store does.
type Database interface {
	Write(ctx context.Context, fn func(Store) error) error
	Read(ctx context.Context, fn func(Store) error) error
}

// batch bounds one transaction, so that other writes wait briefly.
const batch = 100

// Found is what one pass has found in a place.
type Found struct {
	Place    Place
	Former   int // rows that another key than the current one had sealed
	Unopened int // rows that no key opens
}

// Survey counts the rows that the current key has not sealed. It changes nothing.
func Survey(ctx context.Context, db Database, key *secret.Key) ([]Found, error) {
	return pass(ctx, db, key, false)
}

// Rewrite seals rows of another key with the current one. Former in the result counts the
// rows that it found. It leaves a row that changes at the same time to the next pass.
func Rewrite(ctx context.Context, db Database, key *secret.Key) ([]Found, error) {
	return pass(ctx, db, key, true)
}

func pass(ctx context.Context, db Database, key *secret.Key, write bool) (all []Found, err error) {
	for _, place := range Places() {
		f := Found{Place: place}
		for after, more := "", true; more; {
			if after, more, err = f.batch(ctx, db, key.Box(string(place)), after, write); err != nil {
				return nil, err
			}
		}
		if f.Former+f.Unopened > 0 {
			all = append(all, f)
		}
	}
	return all, nil
}

// change is a row that gets another sealed value.
type change struct {
	Row
	renewed []byte
}

// batch examines the rows that follow one, and returns the last.
func (f *Found) batch(ctx context.Context, db Database, box *secret.Box, after string, write bool) (last string, more bool, err error) {
	var rows []Row
	err = db.Read(ctx, func(s Store) error {
		rows, err = s.SealedRows(ctx, f.Place, after, batch)
		return err
	})
	if err != nil || len(rows) == 0 {
		return "", false, err
	}
	var changes []change
	for _, r := range rows {
		renewed, changed, err := box.Renew(r.Sealed, r.Context)
		switch {
		case err != nil:
			f.Unopened++
		case changed:
			f.Former++
			changes = append(changes, change{r, renewed})
		}
	}
	if write && len(changes) > 0 {
		err = db.Write(ctx, func(s Store) error {
			for _, c := range changes {
				if _, err := s.Reseal(ctx, f.Place, c.ID, c.Sealed, c.renewed); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return rows[len(rows)-1].ID, len(rows) == batch, err
}

// Left returns how many rows another key had sealed.
func Left(found []Found) (n int) {
	for _, f := range found {
		n += f.Former
	}
	return n
}
