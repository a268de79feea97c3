package session_test

import (
	"testing"

	"portico/internal/store"
)

func BenchmarkCheck(b *testing.B) {
	for name, forget := range map[string]bool{"hot": false, "cold": true} {
		b.Run(name, func(b *testing.B) {
			s := setup(b)
			token, _ := s.start(s.person("a"))
			ctx := b.Context()
			b.ReportAllocs()
			err := s.store.Read(ctx, func(tx *store.Tx) error {
				for b.Loop() {
					if forget {
						s.keeper.Forget("a")
					}
					if _, err := s.keeper.Check(ctx, tx, token); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkCheckParallel(b *testing.B) {
	s := setup(b)
	token, _ := s.start(s.person("a"))
	ctx := b.Context()
	b.RunParallel(func(p *testing.PB) {
		_ = s.store.Read(ctx, func(tx *store.Tx) error {
			for p.Next() {
				if _, err := s.keeper.Check(ctx, tx, token); err != nil {
					b.Error(err)
				}
			}
			return nil
		})
	})
}
