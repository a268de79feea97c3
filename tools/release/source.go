package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release is the commit that is released, and where its files go.
type release struct {
	root, out string
	goPath    string    // of the Go client
	version   string    // what tools/version prints
	early     bool      // whether its release is still to come
	when      time.Time // of the commit; every file carries it

	host             string // the binary for this machine
	papers           []paper
	manual, packaged string // for archives, and for the package with its paths
}

// identify reads the version from the changelog and git, and the time from git.
// It refuses changed files, a commit without the tag of the version, and a language
// that lacks texts, unless this is a snapshot.
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
	if changed, err := r.git("status", "--porcelain"); err != nil || changed != "" && !snapshot {
		return errors.Join(err, fmt.Errorf("commit or remove these files first:\n%s", changed))
	}
	script, err := filepath.Abs("../version")
	if err != nil {
		return err
	}
	if r.version, err = r.output(script); err != nil {
		return err
	}
	newest, _, untagged := strings.Cut(r.version, "+")
	if untagged && !snapshot {
		return fmt.Errorf("the newest version of CHANGELOG.md is %s: tag its commit with 'git tag v%s', or use -snapshot", newest, newest)
	}
	if snapshot {
		tag, err := r.git("tag", "--list", "v"+newest)
		r.early = tag == ""
		return err
	}
	return r.translated()
}

func (r *release) git(args ...string) (string, error) { return r.output("git", args...) }

// output runs a program in the repository and returns what it prints.
func (r *release) output(program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Dir = r.root
	out, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %s", command, strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
