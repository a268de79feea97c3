package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command runs a program in a folder and returns what it prints.
func command(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// tagged clones the repository, gives it a release v1.8.7, and builds its screens.
func tagged(t *testing.T, folder string) {
	t.Helper()
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	command(t, ".", "git", "clone", "--quiet", here, folder)
	changelog := filepath.Join(folder, "CHANGELOG.md")
	text, err := os.ReadFile(changelog)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("## ["), []byte("## [1.8.7] - 2026-01-02\n\n## ["), 1)
	if err := os.WriteFile(changelog, text, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z")
	t.Setenv("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z")
	command(t, folder, "git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "-am", "release")
	command(t, folder, "git", "tag", "v1.8.7")
	command(t, folder, "cp", "-a", filepath.Join(here, "web", "node_modules"), "web/node_modules")
	command(t, folder, "touch", "web/node_modules/.package-lock.json")
	command(t, folder, "make", "web/dist/documents/manifest.json")
}

func TestRun_SameBytesInEveryFolder(t *testing.T) {
	var sums [2][]byte
	for i, name := range []string{"a", "a-folder-with-a-longer-name"} {
		folder := filepath.Join(t.TempDir(), name)
		tagged(t, folder)
		out := filepath.Join(folder, "bin", "release")
		if err := run([]string{"-root", folder, "-out", out, "-targets", "linux/amd64,windows/amd64"}); err != nil {
			t.Fatal(err)
		}
		var err error
		if sums[i], err = os.ReadFile(filepath.Join(out, "SHA256SUMS")); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			command(t, out, "sha256sum", "--check", "--quiet", "SHA256SUMS")
			holdsArchive(t, out)
			countsCommits(t, folder)
		}
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("two builds of one commit differ:\n%s\n%s", sums[0], sums[1])
	}
	if n := bytes.Count(sums[0], []byte("\n")); n != 8 {
		t.Errorf("%d files, want two archives, two lists of parts, a package and three clients:\n%s", n, sums[0])
	}
}

// holdsArchive checks that the archive has what somebody needs, and that the
// binary knows its version.
func holdsArchive(t *testing.T, out string) {
	t.Helper()
	command(t, out, "tar", "-xzf", "portico_1.8.7_linux_amd64.tar.gz")
	folder := filepath.Join(out, "portico_1.8.7_linux_amd64")
	if version := command(t, folder, "./portico", "version"); !strings.HasPrefix(version, "portico 1.8.7 (") || !strings.Contains(version, " of 2026-01-02,") {
		t.Errorf("the released binary calls itself %q", version)
	}
	notices, err := os.ReadFile(filepath.Join(folder, "NOTICES.txt"))
	if printed := command(t, folder, "./portico", "licenses"); err != nil || sha256.Sum256([]byte(printed)) != sha256.Sum256(bytes.TrimSpace(notices)) {
		t.Errorf("portico licenses and NOTICES.txt differ (%v)", err)
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "portico.1", "packaging/portico.service", "packaging/portico.toml",
		"packaging/completions/_portico", "docs/operating/alerts.yml", "docs/operating/grafana-portico.json"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if help := command(t, folder, "./portico", "backup", "--help"); !strings.Contains(help, filepath.Join(folder, "docs/operating/backup.md")) {
		t.Errorf("the help names no document of the archive:\n%s", help)
	}
	parts, err := os.ReadFile(filepath.Join(out, "portico_1.8.7_linux_amd64.cdx.json"))
	for _, part := range []string{`"pkg:golang/github.com/jackc/pgx/v5@v`, `"pkg:npm/react-dom@`, `"pkg:golang/std@`} {
		if err != nil || !bytes.Contains(parts, []byte(part)) {
			t.Errorf("the list of parts lacks %s (%v)", part, err)
		}
	}
}

// countsCommits checks that builds of the commit after a release say which it is, with make and without.
func countsCommits(t *testing.T, folder string) {
	t.Helper()
	command(t, folder, "git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "--allow-empty", "-m", "go on")
	commit := command(t, folder, "git", "rev-parse", "--short=12", "HEAD")
	for want, build := range map[string][]string{"1.8.7+1." + commit: {"make", "build", "GOFLAGS=-trimpath -buildvcs=false"}, "1.8.7+" + commit: {"go", "build", "-buildvcs=true", "-o", "bin/portico", "./cmd/portico"}} {
		command(t, folder, build[0], build[1:]...)
		if version := command(t, folder, "bin/portico", "version"); !strings.HasPrefix(version, "portico "+want+" ("+commit+" of 20") {
			t.Errorf("%s builds %q, want %s", build, version, want)
		}
	}
}

// What is built before a release is upgraded to it, and what is built after it is not.
func TestVersions_AreInOrder(t *testing.T) {
	const python = "import sys; from pip._vendor.packaging.version import Version as V; print(V(sys.argv[1]) < V(sys.argv[2]))"
	for early, want := range map[bool]string{true: "lt", false: "gt"} {
		for _, build := range []string{"3.0123456789ab", "3.abcdefabcdef.dirty"} {
			r := release{version: "1.8.7+" + build, early: early}
			command(t, ".", "dpkg", "--compare-versions", r.debianVersion(), want, "1.8.7")
			if less := command(t, ".", "python3", "-c", python, r.wheelVersion(), "1.8.7"); (less == "True") != early {
				t.Errorf("%s is lower than 1.8.7: %s", r.wheelVersion(), less)
			}
		}
	}
}

func TestIdentify(t *testing.T) {
	folder := t.TempDir()
	git := func(args ...string) {
		command(t, folder, "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
	}
	refused := func(want string) {
		t.Helper()
		r := release{root: folder}
		if err := r.identify(false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(folder, "CHANGELOG.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	identified := func(snapshot, early bool, want string) {
		t.Helper()
		r := release{root: folder}
		if err := r.identify(snapshot); err != nil || r.version != want || r.early != early {
			t.Errorf("version %q, early %v, %v; want %q", r.version, r.early, err, want)
		}
	}
	git("init", "--quiet")
	write("## [1.2.3] - today\n\n## [1.2.2]\n")
	git("add", ".")
	git("commit", "--quiet", "-m", "start")
	commit := command(t, folder, "git", "rev-parse", "--short=12", "HEAD")
	refused("git tag v1.2.3")
	git("tag", "clients/go/v1.2.3")
	refused("git tag v1.2.3")
	git("tag", "v1.2.4")
	refused("git tag v1.2.3")
	git("tag", "-d", "v1.2.4")
	identified(true, true, "1.2.3+1."+commit)
	git("tag", "v1.2.3")
	identified(false, false, "1.2.3")
	identified(true, false, "1.2.3")
	git("commit", "--quiet", "--allow-empty", "-m", "go on")
	refused("git tag v1.2.3")
	commit = command(t, folder, "git", "rev-parse", "--short=12", "HEAD")
	identified(true, false, "1.2.3+1."+commit)
	write("changed")
	refused("CHANGELOG.md")
	write("## [1.3.0]\n")
	identified(true, true, "1.3.0+1."+commit+".dirty")
	write("nothing yet\n")
	if err := (&release{root: folder}).identify(true); err == nil || !strings.Contains(err.Error(), "begin it with a heading") {
		t.Errorf("a changelog without a version: %v", err)
	}
}
