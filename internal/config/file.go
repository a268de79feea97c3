package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"portico/internal/legible"
)

// entry is one key with its value, in the order of its source.
type entry struct {
	name string
	value
}

// readTOML returns the entries of a file with their lines. Nested and inline
// tables become dotted names.
func readTOML(file string, data []byte) ([]entry, Problems) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		line, why := 0, "it cannot be read"
		var de *toml.DecodeError
		if errors.As(err, &de) {
			line, _ = de.Position()
			why = strings.TrimPrefix(de.Error(), "toml: ") + odd(data, line)
		}
		return nil, Problems{{Source: fmt.Sprintf("%s:%d", file, line), Key: "TOML", Why: why, Write: "correct the line; put strings in quotes: listen = \"127.0.0.1:8080\""}}
	}
	var entries []entry
	for _, at := range positions(data) {
		raw, ok := lookUp(tree, at.path)
		if !ok {
			continue
		}
		source := fmt.Sprintf("%s:%d", file, at.line)
		if table, is := raw.(map[string]any); is && len(at.keys) > 0 {
			raw = textsOf(table, at.keys)
		}
		items := make([]string, len(at.items))
		for i, line := range at.items {
			items[i] = fmt.Sprintf("%s:%d", file, line)
		}
		entries = append(entries, entry{strings.Join(at.path, "."), value{raw: raw, source: source, items: items}})
	}
	return entries, nil
}

// odd names the first character of a line that looks like another character, or is
// invisible: word processors and web pages put these into examples.
func odd(data []byte, line int) string {
	lines := bytes.Split(data, []byte("\n"))
	if line < 1 || line > len(lines) {
		return ""
	}
	for _, r := range string(bytes.TrimSuffix(lines[line-1], []byte("\r"))) {
		switch {
		case unicode.In(r, unicode.Pi, unicode.Pf) || r == '„' || r == '‚':
			return fmt.Sprintf("; the line contains a typographic quotation mark (%U), and TOML needs \"", r)
		case r > ' ' && unicode.IsSpace(r):
			return fmt.Sprintf("; the line contains an unusual kind of space (%U)", r)
		case r != '\t' && legible.Check(string(r)) != nil:
			return "; the line contains " + legible.Check(string(r)).Error()
		}
	}
	return ""
}

// position is the line of a key in a file, and the lines of its items if it is
// a list.
type position struct {
	path  []string
	line  int
	items []int
	keys  []string // of a table that is one setting, in the order of items
}

// textsOf returns the entries of a table of texts as "key=value". Another value stays as it is,
// which the setting refuses.
func textsOf(table map[string]any, keys []string) any {
	texts := make([]any, len(keys))
	for i, key := range keys {
		value, is := table[key].(string)
		if !is {
			return table
		}
		texts[i] = key + "=" + value
	}
	return texts
}

// positions returns the position of every key in valid TOML. Tables of [[app]]
// and of [[client]] are numbered from 1. Other arrays of tables become unknown
// keys.
func positions(data []byte) []position {
	var found []position
	var table []string
	tables := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = pathOf(e.Key(), nil)
			array := table[0]
			if e.Kind == unstable.ArrayTable && len(table) == 1 && slices.Contains(tableArrays(), array) {
				tables[array]++
			}
			if n := tables[array]; n > 0 {
				table = append([]string{array, strconv.Itoa(n)}, table[1:]...)
			}
			if e.Kind == unstable.ArrayTable {
				found = append(found, position{path: table, line: lineOf(&p, e.Key())})
			}
		case unstable.KeyValue:
			found = walk(&p, e, table, found)
		}
	}
	return found
}

// walk appends the position of a key, or of each key in its inline table.
func walk(p *unstable.Parser, e *unstable.Node, table []string, found []position) []position {
	path := pathOf(e.Key(), table)
	if mapped(path) {
		return addMapping(path, lineOf(p, e.Key()), found)
	}
	if e.Value().Kind != unstable.InlineTable {
		return append(found, position{path: path, line: lineOf(p, e.Key()), items: linesOf(p, e.Value())})
	}
	for it := e.Value().Children(); it.Next(); {
		found = walk(p, it.Node(), path, found)
	}
	return found
}

// addMapping adds a key of a table that is one setting to the position of that setting.
func addMapping(path []string, line int, found []position) []position {
	for i := range found {
		if slices.Equal(found[i].path, path[:3]) {
			found[i].keys, found[i].items = append(found[i].keys, path[3]), append(found[i].items, line)
			return found
		}
	}
	return append(found, position{path: path[:3], line: line, items: []int{line}, keys: path[3:]})
}

func pathOf(key unstable.Iterator, prefix []string) []string {
	path := append([]string(nil), prefix...)
	for key.Next() {
		path = append(path, string(key.Node().Data))
	}
	return path
}

// linesOf returns the line of each item of a list.
func linesOf(p *unstable.Parser, list *unstable.Node) []int {
	var lines []int
	if list.Kind == unstable.Array {
		for it := list.Children(); it.Next(); {
			lines = append(lines, p.Shape(it.Node().Raw).Start.Line)
		}
	}
	return lines
}

func lineOf(p *unstable.Parser, key unstable.Iterator) int {
	if !key.Next() {
		return 0
	}
	return p.Shape(key.Node().Raw).Start.Line
}

// lookUp returns the value at a path. It does not look into arrays of tables
// other than [[app]] and [[client]].
func lookUp(tree map[string]any, path []string) (any, bool) {
	if slices.Contains(tableArrays(), path[0]) && len(path) > 1 {
		list, _ := tree[path[0]].([]any)
		if n, err := strconv.Atoi(path[1]); err == nil && n <= len(list) {
			table, ok := list[n-1].(map[string]any)
			if len(path) == 2 || !ok {
				return table, ok
			}
			return lookUp(table, path[2:])
		}
	}
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
