package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// listParts writes what the binary is made of as CycloneDX: the Go modules that
// it says it contains, and the npm packages that its screens bundle.
func (r *release) listParts(name, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	parts := []cyclonedx.Component{library("golang", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace == nil || module.Replace.Version != "" {
			parts = append(parts, library("golang", module.Path, module.Version))
		}
	}
	packages, err := npmPackages(filepath.Join(r.root, "web", "package-lock.json"))
	if err != nil {
		return err
	}
	list := cyclonedx.NewBOM()
	list.Metadata = &cyclonedx.Metadata{
		Timestamp: r.when.Format(time.RFC3339),
		Component: &cyclonedx.Component{Type: cyclonedx.ComponentTypeApplication, Name: "portico", Version: r.version},
	}
	parts = append(parts, packages...)
	list.Components = &parts
	file, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	encoder := cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	return errors.Join(encoder.Encode(list), file.Close())
}

// npmPackages returns the packages that are not for development only.
func npmPackages(lockFile string) ([]cyclonedx.Component, error) {
	text, err := os.ReadFile(lockFile)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var parts []cyclonedx.Component
	for path, p := range lock.Packages {
		if path != "" && !p.Dev {
			parts = append(parts, library("npm", strings.TrimPrefix(path, "node_modules/"), p.Version))
		}
	}
	slices.SortFunc(parts, func(a, b cyclonedx.Component) int { return strings.Compare(a.Name, b.Name) })
	return parts, nil
}

func library(kind, name, version string) cyclonedx.Component {
	url := "pkg:" + kind + "/" + name + "@" + version
	return cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: url, BOMRef: url}
}
