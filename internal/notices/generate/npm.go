package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npmPackages returns the packages that the scripts of the screens contain. The
// lock file marks all others as needed for development only.
func npmPackages(web string) ([]part, error) {
	text, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
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
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var parts []part
	for path, p := range lock.Packages {
		if path == "" || p.Dev {
			continue
		}
		texts, err := licenses(filepath.Join(web, path))
		if err != nil {
			return nil, fmt.Errorf("%w (run 'make build' first)", err)
		}
		parts = append(parts, part{"npm: " + strings.TrimPrefix(path, "node_modules/") + " " + p.Version, texts})
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts, nil
}
