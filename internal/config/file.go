package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// entry is one key of a file with its value, in the order of the file.
type entry struct {
	name string
	value
}

// readTOML returns the entries of a file, with the line of each. Nested and
// inline tables become dotted names.
func readTOML(file string, data []byte) ([]entry, Problems) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		line, why := 0, "it cannot be read"
		var de *toml.DecodeError
		if errors.As(err, &de) {
			line, _ = de.Position()
			why = strings.TrimPrefix(de.Error(), "toml: ")
		}
		return nil, Problems{{Source: fmt.Sprintf("%s:%d", file, line), Key: "TOML", Why: why, Write: "correct the line; texts stand in quotes: listen = \"127.0.0.1:8080\""}}
	}
	var entries []entry
	for _, at := range positions(data) {
		raw, ok := lookUp(tree, at.path)
		if !ok {
			continue
		}
		source := fmt.Sprintf("%s:%d", file, at.line)
		entries = append(entries, entry{strings.Join(at.path, "."), value{raw: raw, source: source}})
	}
	return entries, nil
}

// position is the place of a key in a file.
type position struct {
	path []string
	line int
}

// positions walks over the syntax of a file that is known to be right. Tables
// in arrays have no names of their own and end as unknown keys.
func positions(data []byte) []position {
	var found []position
	var table []string
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = pathOf(e.Key(), nil)
			if e.Kind == unstable.ArrayTable {
				found = append(found, position{table, lineOf(&p, e.Key())})
			}
		case unstable.KeyValue:
			found = walk(&p, e, table, found)
		}
	}
	return found
}

// walk adds the places of a key, or of the keys in its inline table.
func walk(p *unstable.Parser, e *unstable.Node, table []string, found []position) []position {
	path := pathOf(e.Key(), table)
	if e.Value().Kind != unstable.InlineTable {
		return append(found, position{path, lineOf(p, e.Key())})
	}
	for it := e.Value().Children(); it.Next(); {
		found = walk(p, it.Node(), path, found)
	}
	return found
}

func pathOf(key unstable.Iterator, prefix []string) []string {
	path := append([]string(nil), prefix...)
	for key.Next() {
		path = append(path, string(key.Node().Data))
	}
	return path
}

func lineOf(p *unstable.Parser, key unstable.Iterator) int {
	if !key.Next() {
		return 0
	}
	return p.Shape(key.Node().Raw).Start.Line
}

// lookUp returns the value at a path, unless an array of tables is on the way.
func lookUp(tree map[string]any, path []string) (any, bool) {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name].(map[string]any)
		if !ok {
			return nil, false
		}
		tree = next
	}
	v, ok := tree[path[len(path)-1]]
	return v, ok
}
