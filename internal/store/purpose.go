package store

import "context"

// Purpose is what a database is for.
type Purpose string

const (
	Undecided   Purpose = "" // the database is unused
	Real        Purpose = "real"
	Development Purpose = "development" // made by `portico dev`
)

// purposeSchema is the first schema version with a purpose.
const purposeSchema = 8

// Purpose returns what the database is for. It works with every schema version
// and changes nothing.
func (s *Store) Purpose(ctx context.Context) (purpose Purpose, err error) {
	p, err := s.provider()
	if err != nil {
		return "", err
	}
	if err := s.engine.Rights(ctx, newest(p)); err != nil { // the migration tool makes a table
		return Undecided, err
	}
	version, err := s.version(ctx, p)
	if err != nil {
		return Undecided, s.engine.Explain(err)
	}
	return s.purposeAt(ctx, version)
}

func (s *Store) purposeAt(ctx context.Context, version int64) (purpose Purpose, err error) {
	switch {
	case version == 0:
		return Undecided, nil
	case version < purposeSchema:
		return Real, nil
	}
	err = s.Read(ctx, func(tx *Tx) error {
		purpose, _, err = first(ctx, tx, `SELECT purpose FROM installation WHERE id = 1`, nil, func(row scanner) (Purpose, error) {
			var kept Purpose
			err := row.Scan(&kept)
			return kept, err
		})
		return err
	})
	return purpose, err
}
