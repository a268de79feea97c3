package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// nextVersion builds the product with another version and one more migration.
func nextVersion(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay, _ := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "internal", "store", "migrations", "99999_next.sql"): filepath.Join(dir, "next.sql"),
	}})
	for name, content := range map[string]string{"next.sql": expansion, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := build(t, root, dir, "-overlay", filepath.Join(dir, "overlay.json"), "-ldflags", "-X portico/internal/cli.version=next-to-devel")
	if out, err := exec.Command(program, "version").Output(); err != nil || !strings.Contains(string(out), "next-to-") {
		t.Fatalf("the next version calls itself %s (%v)", out, err)
	}
	return program
}

// versionBefore builds the commit before the last migration was added. A
// shallow clone does not have it.
func versionBefore(t *testing.T) string {
	t.Helper()
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
	unpack := fmt.Sprintf("git -C .. archive %s | tar -x -C %s", before, tree)
	if out, err := exec.Command("sh", "-c", unpack).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	screens := filepath.Join(tree, "web", "dist") // git does not contain build output
	if err := errors.Join(os.RemoveAll(screens), os.CopyFS(screens, os.DirFS("../../web/dist"))); err != nil {
		t.Fatal(err)
	}
	return build(t, tree, dir)
}

// build builds the command of a tree into a folder.
func build(t *testing.T, tree, dir string, flags ...string) string {
	t.Helper()
	program := filepath.Join(dir, "portico")
	cmd := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), "./cmd/portico")...)
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
