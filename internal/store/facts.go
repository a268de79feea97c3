package store

import "context"

// Facts asks the database what it is. It changes nothing.
func (s *Store) Facts(ctx context.Context) (Facts, error) {
	p, err := s.provider()
	if err != nil {
		return Facts{}, err
	}
	f, err := s.engine.Facts(ctx)
	f.Newest = newest(p)
	return f, s.engine.Explain(err)
}
