package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The package is installed, configured, upgraded and removed on a copy of this system's files: a layer above them
// that is thrown away (overlayfs in a mount namespace of its own). The second time, systemd runs there.
func TestDebian(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a package can only be installed by root")
	}
	r := release{root: "../..", out: t.TempDir()}
	if err := r.identify(true); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.collect(t.TempDir()), r.make("linux/amd64")); err != nil {
		t.Fatal(err)
	}
	packages, _ := filepath.Glob(filepath.Join(r.out, "*.deb"))
	if len(packages) != 1 {
		t.Fatalf("packages: %v", packages)
	}
	for script, how := range map[string]string{"install.sh": "chroot", "service.sh": "boot"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("systemd-nspawn"); err != nil && how == "boot" {
				t.Skip("there is no systemd-nspawn")
			}
			command(t, "testdata", "unshare", "--mount", "sh", "-eu", "layer.sh", t.TempDir(), packages[0], script, how)
		})
	}
}

// systemd rates from 0, closed, to 10, what a process that was taken over could do.
func TestService_IsClosed(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	out := command(t, ".", "systemd-analyze", "security", "--offline=true", "--no-pager", "../../packaging/portico.service")
	found := regexp.MustCompile(`exposure level for portico\.service: ([0-9.]+)`).FindStringSubmatch(out)
	if found == nil {
		t.Fatal(out)
	}
	if level, err := strconv.ParseFloat(found[1], 64); err != nil || level > 2 {
		t.Errorf("exposure level %s, at most 2.0 may be:\n%s", found[1], strings.TrimSpace(out))
	}
}

// Settings can be written again, a master key cannot. So no document puts a key among the settings.
func TestDocuments_KeepKeysWithTheData(t *testing.T) {
	misplaced := regexp.MustCompile(`/etc/\S*\.key\b`)
	read := 0
	for _, root := range []string{"../../README.md", "../../docs", "../../packaging", "../../internal/cli"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				if misplaced.MatchString(line) && !strings.Contains(line, "ssl") { // the key of a certificate
					t.Errorf("%s: %s", path, line)
				}
			}
			read++
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}
