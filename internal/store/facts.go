package store

import "context"

// Facts asks the database what it is. It reads the version of the schema by
// itself, because the migration tool would create its table where there is none.
func (s *Store) Facts(ctx context.Context) (Facts, error) {
	p, err := s.provider()
	if err != nil {
		return Facts{}, err
	}
	f, err := s.engine.Facts(ctx)
	f.Newest = newest(p)
	return f, s.engine.Explain(err)
}

// Rights says what the operator must permit in a database server before this program
// can make its schema or use it. It changes nothing.
func (s *Store) Rights(ctx context.Context) error {
	p, err := s.provider()
	if err != nil {
		return err
	}
	return s.engine.Rights(ctx, newest(p))
}

// Bears returns ErrSchemaNewer with what to do when this program must not touch
// a database with these facts.
func (s *Store) Bears(f Facts) error { return s.bears(f.Schema, f.Newest) }

// PurposeAt is Purpose for a database whose facts are known.
func (s *Store) PurposeAt(ctx context.Context, f Facts) (Purpose, error) {
	return s.purposeAt(ctx, f.Schema)
}
