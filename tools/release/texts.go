package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// translated refuses a release in which a language lacks a text that English has. Until
// then, English stands in its place.
func (r *release) translated() error {
	files, err := filepath.Glob(filepath.Join(r.root, "web/src/i18n/messages/*.json"))
	if err != nil {
		return err
	}
	texts := map[string]map[string]any{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var read map[string]any
		if err := json.Unmarshal(data, &read); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		texts[filepath.Base(file)] = read
	}
	var missing []string
	for _, key := range slices.Sorted(maps.Keys(texts["en.json"])) {
		for _, file := range slices.Sorted(maps.Keys(texts)) {
			if texts[file][key] == nil {
				missing = append(missing, file+" lacks "+key)
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("translate these texts first, in web/src/i18n/messages:\n%s", strings.Join(missing, "\n"))
	}
	return nil
}
