package store

import "testing"

func TestStats(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.Stats()
	for range 3 {
		if err := s.Write(t.Context(), func(*Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	after := s.Stats()
	if n := after.Group.Sum - before.Group.Sum; n != 3 {
		t.Errorf("%d writes were counted, want 3", n)
	}
	if n := after.Commit.Count - before.Commit.Count; n != 3 || after.Commit.Sum <= before.Commit.Sum {
		t.Errorf("%d commits were counted, in %v", n, after.Commit.Sum-before.Commit.Sum)
	}
	for _, p := range after.Pools {
		if p.Name == "" || p.Max == 0 || p.Open > p.Max || p.InUse > p.Open {
			t.Errorf("a pool is %+v", p)
		}
	}
}
