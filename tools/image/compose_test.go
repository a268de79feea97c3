package image

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

const composeFolder = repository + "/packaging/compose"

// project reads a compose file as `docker compose` does, with the filled-in env.example.
func project(t *testing.T, name string) *types.Project {
	t.Helper()
	variables, err := dotenv.Read(filepath.Join(composeFolder, "env.example"))
	if err != nil {
		t.Fatal(err)
	}
	variables["POSTGRES_PASSWORD"] = "filled"
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: composeFolder, Environment: variables,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(composeFolder, name)}},
	}, func(o *loader.Options) {
		o.SetProjectName("portico", true)
		o.Profiles = []string{"*"}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompose_ServesWithTheseSettings(t *testing.T) {
	for name, nodes := range map[string]int{"compose.yaml": 1, "compose.postgres.yaml": 2} {
		p := project(t, name)
		serving := 0
		for _, s := range p.Services {
			if s.Image != "portico" {
				continue
			}
			if s.User != config(t).User || !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || s.MemLimit == 0 {
				t.Errorf("%s: %s has more rights than it needs", name, s.Name)
			}
			if mounted := slices.ContainsFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == "/data" }); !mounted {
				t.Errorf("%s: %s keeps nothing: no volume at /data", name, s.Name)
			}
			if s.Command != nil {
				continue
			}
			serving++
			checkSettings(t, name, maps.Collect(func(yield func(string, string) bool) {
				for key, value := range s.Environment {
					if value != nil && !yield(key, *value) {
						return
					}
				}
			}))
		}
		if serving != nodes {
			t.Errorf("%s has %d nodes, want %d", name, serving, nodes)
		}
		proxied(t, p)
	}
}

// proxied checks that Caddy takes its file, and forwards to the services.
func proxied(t *testing.T, p *types.Project) {
	t.Helper()
	c := exec.Command("caddy", "adapt", "--validate", "--config", filepath.Join(composeFolder, "Caddyfile"))
	c.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir())
	for key, value := range p.Services["proxy"].Environment {
		c.Env = append(c.Env, key+"="+*value)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("caddy (tools/proxies installs it): %v\n%s", err, out)
	}
	for _, s := range p.Services {
		if s.Image == "portico" && s.Command == nil && !strings.Contains(string(out), `{"dial":"`+s.Name+`:8080"}`) {
			t.Errorf("the proxy does not forward to %s:\n%s", s.Name, out)
		}
	}
}

// checkSettings gives settings to `portico config check`, beside the settings of the image.
func checkSettings(t *testing.T, name string, variables map[string]string) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "secret.key")
	portico := func(more []string, args ...string) (string, error) {
		c := exec.Command(repository+"/bin/portico", args...)
		c.Env = more
		var wrong strings.Builder
		c.Stderr = &wrong // warnings, too: the operations listener answers other machines
		out, err := c.Output()
		if err != nil {
			out = append(out, wrong.String()...)
		}
		return string(out), err
	}
	if out, err := portico([]string{"PORTICO_SECRET_FILE=" + key}, "config", "new-key"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	environment := config(t).Env
	for key, value := range variables {
		environment = append(environment, key+"="+value)
	}
	out, err := portico(append(environment, "PORTICO_SECRET_FILE="+key), "config", "check")
	if err != nil || out != "the configuration is complete\n" {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}
