package image

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// built is a stage of the Dockerfile. Its files lie below root. All other files
// come from this system, which stands in for the base image.
type built struct {
	root, folder string
	variables    []string
}

// build executes the Dockerfile and returns the file system of its last stage.
func build(t *testing.T, arguments ...string) string {
	t.Helper()
	done := map[string]*built{}
	var last *built
	for _, stage := range stages(t) {
		last = &built{root: open(t), folder: "/", variables: arguments}
		if stage.BaseName != "scratch" {
			for _, made := range []string{"src", "out"} { // bubblewrap mounts them, and cannot make them itself
				if err := os.Mkdir(filepath.Join(last.root, made), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, command := range stage.Commands {
			last.execute(t, done, command)
		}
		done[stage.Name] = last
	}
	return last.root
}

func (b *built) execute(t *testing.T, done map[string]*built, command instructions.Command) {
	t.Helper()
	switch c := command.(type) {
	case *instructions.WorkdirCommand:
		b.folder = c.Path
	case *instructions.ArgCommand:
		for _, argument := range c.Args {
			given := slices.ContainsFunc(b.variables, func(v string) bool { return strings.HasPrefix(v, argument.Key+"=") })
			if !given && argument.Value != nil {
				b.variables = append(b.variables, argument.Key+"="+*argument.Value)
			}
		}
	case *instructions.RunCommand:
		b.run(t, strings.Join(c.CmdLine, " "))
	case *instructions.CopyCommand:
		b.copy(t, done[c.From], c)
	case *instructions.UserCommand, *instructions.VolumeCommand, *instructions.EnvCommand, *instructions.LabelCommand,
		*instructions.ExposeCommand, *instructions.HealthCheckCommand, *instructions.EntrypointCommand, *instructions.CmdCommand: // config returns them
	default:
		t.Fatalf("teach this test the instruction %s", command.Name())
	}
}

// run runs a command with this system's programs. Only the folders of the stage
// and the caches of Go and npm can be written.
func (b *built) run(t *testing.T, line string) {
	t.Helper()
	args := []string{"--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"}
	entries, err := os.ReadDir("/")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := "/" + e.Name()
		if to, err := os.Readlink(path); err == nil {
			args = append(args, "--symlink", to, path)
		} else if !slices.Contains([]string{"/dev", "/proc", "/tmp", "/src", "/out"}, path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, cache := range []string{output(t, "go", "env", "GOCACHE"), output(t, "go", "env", "GOMODCACHE"), output(t, "npm", "config", "get", "cache")} {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--bind", cache, cache)
	}
	for _, folder := range []string{"/src", "/out"} {
		args = append(args, "--bind", filepath.Join(b.root, folder), folder)
	}
	began := time.Now()
	defer func() { t.Logf("RUN %.40s: %v", line, time.Since(began).Round(time.Millisecond)) }()
	c := exec.Command("bwrap", append(args, "--chdir", b.folder, "--", "/bin/sh", "-ec", line)...)
	c.Env = append(os.Environ(), append(b.variables, "GOFLAGS=", "npm_config_prefer_offline=true")...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("RUN %s: %v\n%s", line, err, out)
	}
}

// copy copies from another stage, or from the repository without what .dockerignore names.
func (b *built) copy(t *testing.T, from *built, c *instructions.CopyCommand) {
	t.Helper()
	to := c.DestPath
	if !strings.HasPrefix(to, "/") {
		to = b.folder + "/" + to
	}
	into := strings.HasSuffix(to, "/") || to == b.folder+"/."
	for _, source := range c.SourcePaths {
		root, ignored := repository, ignore(t)
		if from != nil {
			root, ignored = from.root, func(string) bool { return false }
			if _, err := os.Stat(filepath.Join(root, source)); err != nil {
				root = "/"
			}
		}
		target := filepath.Join(b.root, to)
		if info, err := os.Stat(filepath.Join(root, source)); err == nil && !info.IsDir() && into {
			target = filepath.Join(target, filepath.Base(source))
		}
		copyTree(t, root, source, target, ignored, func(made string) {
			if owner, _, ok := strings.Cut(c.Chown, ":"); ok && os.Geteuid() == 0 {
				id, err := strconv.Atoi(owner)
				if err == nil {
					err = os.Chown(made, id, id)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func copyTree(t *testing.T, root, source, target string, ignored func(string) bool, made func(string)) {
	t.Helper()
	start := filepath.Join(root, source)
	err := filepath.WalkDir(start, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		beyond, _ := filepath.Rel(start, path)
		to := filepath.Join(target, beyond)
		if d.IsDir() {
			if d.Name() == "node_modules" || d.Name() == ".git" {
				return fs.SkipDir // ignored, and large
			}
			info, err := d.Info()
			if err != nil || ignored(name+"/.") { // a folder appears with its first file
				return err
			}
			if err := os.MkdirAll(to, info.Mode().Perm()); err != nil {
				return err
			}
			made(to)
			return nil
		}
		if ignored(name) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		defer made(to)
		return os.WriteFile(to, content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

func ignore(t *testing.T) func(string) bool {
	t.Helper()
	patterns, err := ignorefile.ReadAll(bytes.NewReader(read(t, ".dockerignore")))
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) bool {
		ignored, err := matcher.MatchesOrParentMatches(name)
		if err != nil {
			t.Fatal(err)
		}
		return ignored
	}
}

// open returns a temporary folder that every user may enter.
func open(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return strings.TrimSpace(string(out))
}
