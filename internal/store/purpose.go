package store

import "context"

// Purpose is what a database is for.
type Purpose string

const (
	Undecided   Purpose = "" // the database is unused
	Real        Purpose = "real"
	Development Purpose = "development" // made by `portico dev`
)

// Purpose returns what the database is for. It works with every schema version
// and changes nothing.
func (s *Store) Purpose(ctx context.Context) (purpose Purpose, err error) {
	p, err := s.provider()
	if err != nil {
		return "", err
	}
	f, err := s.usable(ctx, p)
	if err != nil || f.Schema == 0 {
		return Undecided, err
	}
	err = s.Read(ctx, func(tx *Tx) error {
		purpose, _, err = first(ctx, tx, `SELECT purpose FROM installation WHERE id = 1`, nil, scanOne[Purpose])
		return err
	})
	return purpose, err
}
