package image

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	"github.com/opencontainers/go-digest"
)

const repository = "../.."

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(repository + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// anyBase stands in for the registry: every base image exists, and says nothing about itself.
type anyBase struct{}

func (anyBase) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, "", []byte(`{"architecture":"amd64","os":"linux","config":{}}`), nil
}

func options(t *testing.T, text []byte) dockerfile2llb.ConvertOpt {
	t.Helper()
	state := llb.Scratch()
	lines := llb.NewSourceMap(&state, "Dockerfile", "Dockerfile", text)
	var err error
	if lines.Definition, err = state.Marshal(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dockerfile2llb.ConvertOpt{MetaResolver: anyBase{}, MainContext: &state, SourceMap: lines}
}

// This is what `docker build --check` runs.
func TestDockerfile_LintsClean(t *testing.T) {
	lint := func(text []byte) []string {
		results, err := dockerfile2llb.DockerfileLint(t.Context(), text, options(t, text))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, w := range results.Warnings {
			found = append(found, w.RuleName+": "+w.Detail)
		}
		if results.Error != nil {
			found = append(found, results.Error.Message)
		}
		return found
	}
	text := read(t, "Dockerfile")
	for _, w := range lint(text) {
		t.Error(w)
	}
	if len(lint(bytes.Replace(text, []byte(" AS server"), []byte(" as server"), 1))) == 0 {
		t.Error("the linter finds nothing in a Dockerfile with a mistake")
	}
}

// The base images have exact versions, so that the same commit is built with the same programs. The
// compiler has the version of go.mod.
func TestDockerfile_PinsItsBases(t *testing.T) {
	minimum := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(read(t, "go.mod"))[1]
	for _, s := range stages(t) {
		if s.BaseName == "scratch" {
			continue
		}
		if !regexp.MustCompile(`^[a-z]+:\d+\.\d+\.\d+-[a-z]+`).MatchString(s.BaseName) {
			t.Errorf("%s has no exact version", s.BaseName)
		}
		if strings.HasPrefix(s.BaseName, "golang:") && !strings.HasPrefix(s.BaseName, "golang:"+string(minimum)+".") {
			t.Errorf("%s builds a module of go %s", s.BaseName, minimum)
		}
	}
}

// config returns what the last stage says about the process and the image: user, command, environment, labels.
func config(t *testing.T) dockerspec.DockerOCIImageConfig {
	t.Helper()
	text := read(t, "Dockerfile")
	opt := options(t, text)
	opt.BuildArgs = map[string]string{"VERSION": "9.8.7+6.0123456789ab", "REVISION": "0123456789abcdef", "DATE": "2026-01-02T03:04:05Z"}
	_, img, _, _, err := dockerfile2llb.Dockerfile2LLB(t.Context(), text, opt)
	if err != nil {
		t.Fatal(err)
	}
	return img.Config
}

// The labels have what the binary says about itself.
func TestDockerfile_Labels(t *testing.T) {
	labels := config(t).Labels
	for name, want := range map[string]string{"version": "9.8.7+6.0123456789ab", "revision": "0123456789abcdef", "created": "2026-01-02T03:04:05Z", "licenses": "Apache-2.0"} {
		if got := labels["org.opencontainers.image."+name]; got != want {
			t.Errorf("the label %s is %q, want %q", name, got, want)
		}
	}
}

func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(bytes.NewReader(read(t, "Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
