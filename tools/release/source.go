package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release is the commit that is released, and where its files go.
type release struct {
	root, out string
	version   string    // without the v of the tag
	when      time.Time // of the commit; every file carries it

	host             string // the binary for this machine
	papers           []paper
	manual, packaged string // for archives, and for the package with its paths
}

// identify reads the version and the time from git. It refuses a commit
// without a tag, changed files, and a tag that is not the newest release of the
// changelog, unless this is a snapshot.
func (r *release) identify(snapshot bool) error {
	seconds, err := r.git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	r.when = time.Unix(n, 0).UTC()
	if snapshot {
		commit, err := r.git("rev-parse", "--short=12", "HEAD")
		r.version = "0.0.0-" + r.when.Format("20060102150405") + "-" + commit
		return err
	}
	if changed, err := r.git("status", "--porcelain"); err != nil || changed != "" {
		return errors.Join(err, fmt.Errorf("commit or remove these files first:\n%s", changed))
	}
	tag, err := r.git("describe", "--tags", "--exact-match", "--match", "v[0-9]*")
	if err != nil {
		return fmt.Errorf("tag the commit first, such as 'git tag v1.2.3', or use -snapshot (%w)", err)
	}
	r.version = strings.TrimPrefix(tag, "v")
	return r.checkChangelog()
}

// checkChangelog holds that the newest release of the changelog is this one.
func (r *release) checkChangelog() error {
	text, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if newest, ok := strings.CutPrefix(line, "## ["); ok {
			if strings.HasPrefix(newest, r.version+"]") {
				return nil
			}
			break
		}
	}
	return fmt.Errorf("give the changes of this release the heading '## [%s]' in CHANGELOG.md first", r.version)
}

func (r *release) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
