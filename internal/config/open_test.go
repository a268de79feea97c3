package config

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

// A folder that is closed anywhere above a file closes it, and a mounted secret of a container is its own.
func TestOpenToAll(t *testing.T) {
	t.Parallel()
	closed := &fstest.MapFile{Mode: fs.ModeDir | 0o700}
	file := &fstest.MapFile{Mode: 0o444}
	root := fstest.MapFS{
		"etc/portico/key": file, "etc/portico/mine": &fstest.MapFile{Mode: 0o440}, "run/secrets/key": file,
		"root": closed, "root/portico": &fstest.MapFile{Mode: fs.ModeDir | 0o755}, "root/portico/key": file, "srv/closed": closed, "srv/closed/key": file,
	}
	stat := func(name string) (fs.FileInfo, error) { return root.Stat(name[1:]) }
	for name, want := range map[string]bool{
		"etc/portico/key": true, "etc/portico/mine": false, "run/secrets/key": false, "root/portico/key": false, "srv/closed/key": false, "gone": false,
	} {
		if got := openToAll("/"+name, stat); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
