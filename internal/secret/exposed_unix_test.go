//go:build unix

package secret

import (
	"io/fs"
	"testing"
)

func TestExposes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode        fs.FileMode
		owner, self int
		want        bool
	}{
		{0o600, 1000, 1000, false},
		{0o400, 0, 0, false},
		{0o640, 1000, 1000, true}, // a group that the owner did not mean
		{0o440, 0, 65532, false},  // a secret that is mounted into a container
		{0o460, 0, 65532, true},   // the group could replace the key
		{0o444, 0, 65532, true},
		{0o440, 0, 0, true},
	} {
		if got := exposes(c.mode, c.owner, c.self); got != c.want {
			t.Errorf("mode %04o of %d, read by %d: exposed %v, want %v", c.mode, c.owner, c.self, got, c.want)
		}
	}
}
