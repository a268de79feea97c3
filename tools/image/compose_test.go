package image

import (
	"maps"
	"net/netip"
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

const (
	composeFolder = repository + "/packaging/compose"
	ownImage      = "localhost/portico:1.2.3" // as `make image` names it
)

// project reads a compose file as `docker compose` does, with env.example and the image that its operator writes.
func project(t *testing.T, name, image string) (*types.Project, error) {
	t.Helper()
	variables, err := dotenv.Read(filepath.Join(composeFolder, "env.example"))
	if err != nil {
		t.Fatal(err)
	}
	variables["POSTGRES_PASSWORD"], variables["PORTICO_IMAGE"] = "filled", image
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: composeFolder, Environment: variables,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(composeFolder, name)}},
	}, func(o *loader.Options) {
		o.SetProjectName("portico", true)
		o.Profiles = []string{"*"}
	})
}

func TestCompose_ServesWithTheseSettings(t *testing.T) {
	for name, nodes := range map[string]int{"compose.yaml": 1, "compose.postgres.yaml": 2} {
		if _, err := project(t, name, ""); err == nil || !strings.Contains(err.Error(), "write your image with its version") {
			t.Errorf("%s without an image: %v", name, err)
		}
		p, err := project(t, name, ownImage)
		if err != nil {
			t.Fatal(err)
		}
		serving := 0
		for _, s := range p.Services {
			pinned(t, s.Image, s.Image == ownImage)
			if s.Image != ownImage {
				continue
			}
			if s.User != config(t).User || !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.MemLimit == 0 {
				t.Errorf("%s: %s has more rights than it needs", name, s.Name)
			}
			if mount(s, dataFolder).Type != "volume" {
				t.Errorf("%s: %s keeps nothing: no volume at /data", name, s.Name)
			}
			for _, folder := range []string{settingsFolder, secretsFolder} {
				if m := mount(s, folder); m.Type != "bind" || !m.ReadOnly || m.Bind == nil || bool(m.Bind.CreateHostPath) {
					t.Errorf("%s: %s has no folder of the operator at %s: %+v", name, s.Name, folder, m)
				}
			}
			if want := config(t).Healthcheck.Test; s.HealthCheck == nil || !slices.Equal(s.HealthCheck.Test, want) {
				t.Errorf("%s: %s is not asked by %v", name, s.Name, want)
			}
			if s.Command != nil {
				continue
			}
			serving++
			trustsTheProxy(t, p, s)
			file, err := os.ReadFile(filepath.Join(mount(s, settingsFolder).Source, "portico.toml"))
			if err != nil {
				t.Fatal(err)
			}
			checkSettings(t, name, string(file), maps.Collect(func(yield func(string, string) bool) {
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

// trustsTheProxy checks that nothing but the proxy may name the address of a client: apps are in its network, too.
func trustsTheProxy(t *testing.T, p *types.Project, s types.ServiceConfig) {
	t.Helper()
	trusted, proxy, front := s.Environment["PORTICO_TRUSTED_PROXIES"], p.Services["proxy"].Networks["front"], p.Networks["front"]
	if trusted == nil || proxy == nil || proxy.Ipv4Address != *trusted || len(front.Ipam.Config) != 1 {
		t.Fatalf("%s trusts more than the proxy: %+v in %+v", s.Name, proxy, front)
	}
	at, err := netip.ParseAddr(*trusted)
	if err != nil {
		t.Fatal(err)
	}
	given, err := netip.ParsePrefix(front.Ipam.Config[0].IPRange)
	if err != nil || given.Contains(at) || !netip.MustParsePrefix(front.Ipam.Config[0].Subnet).Contains(at) {
		t.Errorf("a container that starts before the proxy may get its address: %v %+v", err, front.Ipam.Config[0])
	}
}

func mount(s types.ServiceConfig, target string) types.ServiceVolumeConfig {
	for _, v := range s.Volumes {
		if v.Target == target {
			return v
		}
	}
	return types.ServiceVolumeConfig{}
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
		if s.Image != ownImage || s.Command != nil {
			continue
		}
		if !strings.Contains(string(out), `{"dial":"`+s.Name+`:8080"}`) {
			t.Errorf("the proxy does not forward to %s:\n%s", s.Name, out)
		}
		if p.Services["proxy"].DependsOn[s.Name].Condition != types.ServiceConditionHealthy {
			t.Errorf("the proxy does not wait until %s is ready", s.Name)
		}
	}
}
