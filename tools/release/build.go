package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// build compiles the binary for a system, with the flags of the Makefile and the
// version. The Go command records the commit and its time.
func (r *release) build(binary, system, arch string) error {
	absolute, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -X portico/internal/cli.version="+r.version, "-o", absolute, "./cmd/portico")
	build.Dir = r.root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}
