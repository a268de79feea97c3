package image

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The image is made and run: it becomes ready, takes a registration, ends on
// SIGTERM, and has the account when it starts again.
func TestImage_ServesAndKeeps(t *testing.T) {
	image := build(t, "TARGETOS=linux", "TARGETARCH="+runtime.GOARCH, "VERSION=9.8.7", "REVISION=0123456789abcdef", "DATE=2026-01-02T03:04:05Z")
	holds(t, image)
	data, public, ops := volume(t, image), port(t), port(t)
	mail := receive(t)
	_, number, _ := strings.Cut(public, ":")
	environment := []string{
		"PORTICO_PUBLIC_URL=http://" + public, "PORTICO_LISTEN=0.0.0.0:" + number, "PORTICO_OPS_LISTEN=" + ops,
		"PORTICO_SMTP_URL=smtp://" + mail.address + "?tls=none", "PORTICO_MAIL_FROM=no-reply@example.org", "GOMEMLIMIT=400MiB",
	}

	version := start(t, image, data, environment, "version")
	if code := version.wait(); code != 0 || !strings.HasPrefix(version.said.String(), "portico 9.8.7 (0123456789ab of 2026-01-02") {
		t.Errorf("%d, %s", code, version.said.String())
	}

	c := start(t, image, data, environment)
	limited := limitMemory(t, c.pid, 512<<20)
	c.ready(ops)
	c.confined()
	healthy := func(code int, said string) {
		t.Helper()
		h := start(t, image, data, environment, config(t).Healthcheck.Test[2:]...) // behind CMD and the entry point
		if got := h.wait(); got != code || !strings.Contains(h.said.String(), said) {
			t.Errorf("the health check: exit code %d, want %d\n%s", got, code, h.said.String())
		}
	}
	healthy(0, "ready")
	v := visitor{T: t, origin: "http://" + public}
	v.registers("mara@example.org", mail)
	limited()
	c.stop()
	healthy(1, "no server answers")

	c = start(t, image, data, environment)
	c.ready(ops)
	v.signsIn("mara@example.org")
	c.stop()
	for _, name := range []string{"portico.db", "secret.key"} {
		if info, err := os.Stat(filepath.Join(data, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	refused := open(t) // a folder of somebody else, as with a bind mount
	if err := os.Chmod(refused, 0o555); err != nil {
		t.Fatal(err)
	}
	c = start(t, image, refused, environment)
	if code := c.wait(); code != 1 || !strings.Contains(c.said.String(), "give the folder /data and its files to user 65532") {
		t.Errorf("without a volume to write: exit code %d\n%s", code, c.said.String())
	}
}

// holds checks that the image has the binary and what it needs, and nothing else.
func holds(t *testing.T, image string) {
	t.Helper()
	var found []string
	err := filepath.WalkDir(image, func(path string, d os.DirEntry, err error) error {
		if err == nil && (!d.IsDir() || d.Name() == "data") {
			name, _ := filepath.Rel(image, path)
			found = append(found, name)
		}
		return err
	})
	want := []string{"data", "etc/ssl/certs/ca-certificates.crt", "portico", "usr/share/doc/ca-certificates/copyright"}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("the image has %v, %v; want %v", found, err, want)
	}
}
