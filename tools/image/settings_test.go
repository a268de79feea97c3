package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/distribution/reference"
)

// Where the containers have their files.
const (
	dataFolder     = "/data"
	settingsFolder = "/etc/portico"
	secretsFolder  = "/run/secrets/portico"
)

// commented are the settings that an example has behind "#". Behind "# " are words.
var commented = regexp.MustCompile(`(?m)^#(\S)`)

// checkSettings gives a settings file and variables to `portico config check`, beside the
// settings of the image: as they are, and with all settings that are commented out.
func checkSettings(t *testing.T, name, file string, variables map[string]string) {
	t.Helper()
	folder := t.TempDir()
	here := strings.NewReplacer(dataFolder+"/", folder+"/", settingsFolder+"/", folder+"/", secretsFolder+"/", folder+"/").Replace
	for name, value := range map[string]string{
		"database_url": "postgres://portico:x@db.example.com/portico?sslmode=verify-full", "smtp_url": "smtp://user:x@mail.example.com:587",
		"wiki": "a secret of the client, long enough",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
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
	if out, err := portico([]string{"PORTICO_SECRET_FILE=" + filepath.Join(folder, "secret.key")}, "config", "new-key"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	var environment []string
	for _, variable := range config(t).Env {
		environment = append(environment, here(variable))
	}
	for key, value := range variables {
		environment = append(environment, key+"="+here(value))
	}
	whole := commented.ReplaceAllString(file, "$1")
	if whole == file {
		t.Errorf("%s shows no app and no client", name)
	}
	for _, text := range []string{file, whole} {
		if err := os.WriteFile(filepath.Join(folder, "portico.toml"), []byte(here(text)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := portico(environment, "config", "check")
		if err != nil || out != "the configuration is complete\n" {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, text)
		}
	}
}

// pinned checks the name of an image: it has a version. Portico's own has a host, because
// without one Docker would look for an image of somebody else at Docker Hub.
func pinned(t *testing.T, image string, own bool) {
	t.Helper()
	name, err := reference.ParseDockerRef(image) // adds what a name leaves out: docker.io and latest
	if err != nil {
		t.Errorf("%s: %v", image, err)
		return
	}
	if tagged, ok := name.(reference.Tagged); !ok || tagged.Tag() == "latest" {
		t.Errorf("%s has no version", image)
	}
	if own && reference.Domain(name) == "docker.io" {
		t.Errorf("%s may be pulled from Docker Hub", image)
	}
}
