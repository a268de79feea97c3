package session_test

import (
	"testing"

	"portico/internal/session"
)

func TestStats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := b.newKeeper()
	token, _ := b.start(b.person("a"))
	for range 3 {
		b.holds(k, token, true, "signed in")
	}
	b.holds(k, "no token", false, "nonsense") // without a read
	if got, want := k.Stats(), (session.CacheStats{Hits: 2, Misses: 1, Size: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	k.Forget("a")
	if got, want := k.Stats(), (session.CacheStats{Hits: 2, Misses: 1, Size: 0}); got != want {
		t.Errorf("after the end of a session: %+v, want %+v", got, want)
	}
}
