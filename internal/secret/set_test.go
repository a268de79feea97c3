package secret

import (
	"slices"
	"sync"
	"testing"
)

// two returns two keys, and a Key that holds both with the first as the current
// one.
func two() (former, next, both *Key) {
	former, next = NewKey(), NewKey()
	return former, next, former.With(next)
}

func TestUse_BoxesAndHashesFollow(t *testing.T) {
	t.Parallel()
	former, next, both := two()
	box, mac := both.Box("b"), both.MAC("m")
	if !slices.Equal(both.IDs(), []string{former.ID(), next.ID()}) || former.ID() == next.ID() {
		t.Fatalf("the ids are %v", both.IDs())
	}
	for _, step := range []struct{ current, other *Key }{{former, next}, {next, former}} {
		if !both.Use(step.current.ID()) {
			t.Fatal("the key is unknown")
		}
		sealed := box.Seal([]byte("x"), "row")
		if _, err := step.current.Box("b").Open(sealed, "row"); err != nil {
			t.Error("the current key has not sealed it")
		}
		if _, err := step.other.Box("b").Open(sealed, "row"); err == nil {
			t.Error("the other key opens it")
		}
		if !Equal(mac.Sum("a"), step.current.MAC("m").Sum("a")) || Equal(mac.Sum("a"), step.other.MAC("m").Sum("a")) {
			t.Error("the hash is not of the current key")
		}
		for _, key := range []*Key{former, next} {
			if data, err := box.Open(key.Box("b").Seal([]byte("y"), "row"), "row"); err != nil || string(data) != "y" {
				t.Errorf("%q, %v", data, err)
			}
			if !mac.Is(key.MAC("m").Sum("a"), "a") || mac.Is(key.MAC("m").Sum("a"), "b") || mac.Is(key.MAC("n").Sum("a"), "a") {
				t.Error("a hash is not judged by both keys")
			}
		}
	}
	if both.Use(NewKey().ID()) || both.ID() != next.ID() {
		t.Error("a key that is not there was taken")
	}
	both.Replace(next)
	if _, err := box.Open(former.Box("b").Seal(nil, "row"), "row"); err == nil || mac.Is(former.MAC("m").Sum("a"), "a") {
		t.Error("the former key still works")
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	former, next, both := two()
	both.Use(next.ID())
	box, old := both.Box("b"), former.Box("b").Seal([]byte("x"), "row")
	renewed, changed, err := box.Renew(old, "row")
	if data, bad := next.Box("b").Open(renewed, "row"); err != nil || !changed || bad != nil || string(data) != "x" {
		t.Errorf("%v, %v, %q, %v", changed, err, data, bad)
	}
	if again, changed, err := box.Renew(renewed, "row"); changed || err != nil || !Equal(again, renewed) {
		t.Errorf("renewed twice: %v, %v", changed, err)
	}
	for name, sealed := range map[string][]byte{"another row": next.Box("b").Seal(nil, "other"), "another key": NewKey().Box("b").Seal(nil, "row"), "nothing": nil} {
		if _, _, err := box.Renew(sealed, "row"); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

// Requests go on while the key changes.
func TestUse_Concurrently(t *testing.T) {
	t.Parallel()
	former, next, both := two()
	box, mac := both.Box("b"), both.MAC("m")
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 500 {
				if _, err := box.Open(box.Seal([]byte("x"), "row"), "row"); err != nil || !mac.Is(mac.Sum("a"), "a") {
					t.Error("lost in between", err)
					return
				}
			}
		})
	}
	for n := range 200 {
		both.Use([]*Key{next, former}[n%2].ID())
	}
	work.Wait()
}
