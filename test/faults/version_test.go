package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// expansion is a migration as the next version may have. It changes every table
// that users' steps write to.
const expansion = `-- +goose Up
CREATE TABLE novelty (id TEXT NOT NULL PRIMARY KEY);
ALTER TABLE account ADD COLUMN novelty TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN novelty TEXT NOT NULL DEFAULT '';
ALTER TABLE flow ADD COLUMN novelty BIGINT NOT NULL DEFAULT 0;
ALTER TABLE code ADD COLUMN novelty BIGINT;
ALTER TABLE outbox ADD COLUMN novelty TEXT NOT NULL DEFAULT '';
ALTER TABLE throttle ADD COLUMN novelty BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN novelty TEXT NOT NULL DEFAULT '';
`

// expanded is the version of the schema after it.
const expanded = 99999

// nextVersion returns the product with another version and one more migration.
func nextVersion(t *testing.T) string {
	t.Helper()
	program := built(t, nextProduct)
	if out, err := exec.Command(program, "version").Output(); err != nil || !strings.Contains(string(out), "next-to-") {
		t.Fatalf("the next version calls itself %s (%v)", out, err)
	}
	return program
}

// nextToKill returns this test binary with one more migration, for killSelf.
func nextToKill(t *testing.T) string {
	t.Helper()
	return built(t, nextSuite)
}

var (
	nextProduct = sync.OnceValues(func() (string, error) {
		return expand("portico.next", "build", "./cmd/portico", "-ldflags", "-X portico/internal/cli.version=next-to-devel")
	})
	nextSuite = sync.OnceValues(func() (string, error) { return expand("faults.next", "test", "./test/faults", "-c") })
)

func built(t *testing.T, program func() (string, error)) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// expand runs a command of go on a package, with the migration of expansion among the
// others. It returns the program that this makes, next to binary.
func expand(name, command, of string, flags ...string) (program string, err error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	program = filepath.Join(filepath.Dir(binary), name)
	migration, overlay := program+".sql", program+".json"
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "internal", "store", "migrations", fmt.Sprintf("%d_next.sql", expanded)): migration,
	}})
	if err = errors.Join(err, os.WriteFile(migration, []byte(expansion), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	cmd := exec.Command("go", append(append([]string{command, "-o", program, "-overlay", overlay}, flags...), of)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, failed := cmd.CombinedOutput(); failed != nil {
		return "", fmt.Errorf("%w\n%s", failed, out)
	}
	return program, nil
}

// versionBefore builds the commit before the last migration was added. A
// shallow clone does not have it.
func versionBefore(t *testing.T) string {
	t.Helper()
	if all, err := filepath.Glob("../../internal/store/migrations/*.sql"); err != nil || len(all) == 1 {
		t.Skipf("no version has another schema (%v)", err)
	}
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", "../.."}, args...)...).Output()
		if err != nil {
			t.Skipf("there is no history to take an older version from: git %s: %v", args[0], err)
		}
		return strings.TrimSpace(string(out))
	}
	added := git("log", "-1", "--diff-filter=A", "--format=%H", "--", "internal/store/migrations")
	before := git("rev-parse", "--verify", added+"^")
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	if err := os.Mkdir(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	unpack := fmt.Sprintf("git -C ../.. archive %s | tar -x -C %s", before, tree)
	if out, err := exec.Command("sh", "-c", unpack).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	screens := filepath.Join(tree, "web", "dist") // git does not contain build output
	if err := errors.Join(os.RemoveAll(screens), os.CopyFS(screens, os.DirFS("../../web/dist"))); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "portico")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/portico")
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
