package store

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"
)

// Facts asks the database what it is. It changes nothing.
func (s *Store) Facts(ctx context.Context) (Facts, error) {
	p, err := s.provider()
	if err != nil {
		return Facts{}, err
	}
	f, err := s.facts(ctx, p)
	return f, s.engine.Explain(err)
}

func (s *Store) facts(ctx context.Context, p *goose.Provider) (Facts, error) {
	f, err := s.engine.Facts(ctx)
	f.Newest = newest(p)
	if err != nil {
		err = fmt.Errorf("read the schema version: %w", err)
	}
	return f, err
}

// usable is facts of a database in which this program has the rights that it needs, and
// which it may touch.
func (s *Store) usable(ctx context.Context, p *goose.Provider) (Facts, error) {
	f, err := s.facts(ctx, p)
	if err = s.engine.Rights(ctx, f, err); err == nil {
		err = s.Bears(f)
	}
	return f, s.engine.Explain(err)
}
