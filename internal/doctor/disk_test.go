//go:build linux || darwin

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDisk(t *testing.T) {
	t.Parallel()
	for free, want := range map[uint64]State{full - 1: Failed, full: Warning, tight - 1: Warning, tight: OK} {
		r := &report{check: "disk"}
		(&doctor{}).space(r, "folder", free)
		holds(t, r.found, "disk", want, "MiB are free")
	}
	cfg := settings(t, t.TempDir())
	cfg.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "not", "there", "portico.db")
	expect(t, cfg, "disk", OK, "are free")
	if os.Geteuid() == 0 {
		made(t, cfg)
		if err := os.Chown(strings.TrimPrefix(cfg.DatabaseURL, "sqlite:"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
		expect(t, cfg, "disk", Warning, "belongs to user 65534")
		return // root may write everything
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	cfg.DatabaseURL = "sqlite:" + filepath.Join(folder, "portico.db")
	expect(t, cfg, "disk", Failed, "may not write")
}
