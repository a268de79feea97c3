package archtest

import (
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// block is text that is read in one go: a paragraph, an item of a list, a cell
// of a table.
type block struct {
	path  string
	lines []textLine
}

type textLine struct {
	n    int
	text string
}

// sentence is one of a block, with the line that it begins on.
type sentence struct {
	line int
	text string
}

var (
	codeSpan  = regexp.MustCompile("``[^`]*``|`[^`]*`")
	imageLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	ending    = regexp.MustCompile(`[.?!]["')\]*_]*\s+`)
	shortened = regexp.MustCompile(`\b(e\.g|i\.e|cf|vs|No)\.$`)
	listItem  = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s+`)
	directive = regexp.MustCompile(`^(//(go:|line |nolint)|#!|# ?shellcheck|// ?(eslint|@ts)|/\*\* ?@)`)
)

// sentences splits a block. Code becomes one word, and a link its text.
func (b block) sentences() []sentence {
	var text strings.Builder
	var starts []int
	for _, l := range b.lines {
		starts = append(starts, text.Len())
		text.WriteString(strings.TrimSpace(l.text) + " ")
	}
	all := codeSpan.ReplaceAllStringFunc(text.String(), func(s string) string { return sameLength(s, "x") })
	all = imageLink.ReplaceAllStringFunc(all, func(s string) string { return sameLength(s, imageLink.FindStringSubmatch(s)[1]) })
	var found []sentence
	from := 0
	cut := func(to int) {
		s := strings.TrimSpace(all[from:to])
		begin := from + len(all[from:to]) - len(strings.TrimLeft(all[from:to], " "))
		line := 0
		for i, at := range starts {
			if at <= begin {
				line = b.lines[i].n
			}
		}
		if s != "" {
			found = append(found, sentence{line, strings.Join(strings.Fields(s), " ")})
		}
		from = to
	}
	for _, m := range ending.FindAllStringIndex(all, -1) {
		if !shortened.MatchString(all[:m[0]+1]) {
			cut(m[1])
		}
	}
	cut(len(all))
	return found
}

// sameLength pads a replacement, so that places in the text stay where they are.
func sameLength(old, replacement string) string {
	return replacement + strings.Repeat(" ", max(0, len(old)-len(replacement)))
}

// blocks returns the prose of documents and comments.
func blocks(t *tree) []block {
	var found []block
	for _, f := range t.files {
		if f.Go != nil && !f.made {
			found = append(found, goBlocks(t, f)...)
		}
	}
	_ = walk(t.fs, func(name string) error {
		read := reader(t.fs, name)
		if read == nil {
			return nil
		}
		data, err := fs.ReadFile(t.fs, name)
		if err != nil {
			return err
		}
		for _, b := range read(string(data)) {
			b.path = name
			found = append(found, b)
		}
		return nil
	})
	return found
}

func reader(files fs.FS, name string) func(string) []block {
	switch ext := path.Ext(name); {
	case name == "docs/specification.md", strings.Contains(name, ".gen."): // given to us; generated
		return nil
	case ext == ".md":
		return markdownBlocks
	case ext == ".ts", ext == ".tsx", ext == ".js", ext == ".mjs":
		return func(s string) []block { return commentBlocks(scriptComments(s, true)) }
	case ext == ".css":
		return func(s string) []block { return commentBlocks(scriptComments(s, false)) }
	case ext == ".sh":
		return shellBlocks
	case ext == "":
		head := make([]byte, 32)
		f, err := files.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		if n, _ := f.Read(head); strings.HasPrefix(string(head[:n]), "#!") && strings.Contains(string(head[:n]), "sh") {
			return shellBlocks
		}
	}
	return nil
}

func goBlocks(t *tree, f file) []block {
	var found []block
	for _, group := range f.Go.Comments {
		var lines []textLine
		for _, c := range group.List {
			lines = append(lines, commentLines(c.Text, t.line(c))...)
		}
		for _, b := range paragraphs(lines, true) {
			b.path = f.path
			found = append(found, b)
		}
	}
	return found
}

func (t *tree) line(n ast.Node) int { return t.fset.Position(n.Pos()).Line }

// commentLines takes the signs of a comment away.
func commentLines(comment string, first int) []textLine {
	if directive.MatchString(comment) {
		return nil
	}
	if rest, ok := strings.CutPrefix(comment, "//"); ok {
		return []textLine{{first, rest}}
	}
	var lines []textLine
	comment = strings.TrimSuffix(strings.TrimPrefix(comment, "/*"), "*/")
	for i, line := range strings.Split(comment, "\n") {
		line = strings.TrimLeft(line, " \t")
		lines = append(lines, textLine{first + i, strings.TrimLeft(line, "*")})
	}
	return lines
}

// paragraphs splits at empty lines and items of lists. Indented lines of a
// comment are code.
func paragraphs(lines []textLine, comment bool) []block {
	var found []block
	var now block
	flush := func() {
		if len(now.lines) > 0 {
			found = append(found, now)
		}
		now = block{}
	}
	item := false
	for _, l := range lines {
		text := strings.TrimPrefix(l.text, " ")
		trimmed := strings.TrimSpace(text)
		switch m := listItem.FindString(text); {
		case trimmed == "", strings.HasPrefix(trimmed, "@"):
			flush()
			item = false
		case m != "" && len(m) < len(text):
			flush()
			now.lines, item = append(now.lines, textLine{l.n, text[len(m):]}), true
		case comment && !item && (strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "  ")):
			flush()
		case comment && banner.MatchString(trimmed) && len(trimmed) > 3:
			flush()
			found = append(found, block{lines: []textLine{{l.n, trimmed}}})
		default:
			now.lines = append(now.lines, textLine{l.n, text})
		}
	}
	flush()
	return found
}

func markdownBlocks(text string) []block {
	var found []block
	var plain []textLine
	flush := func() {
		found = append(found, paragraphs(plain, false)...)
		plain = nil
	}
	fence, released := "", false
	for i, line := range strings.Split(text, "\n") {
		n, trimmed := i+1, strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			flush()
			fence = trimmed[:3]
		case strings.HasPrefix(line, "## ["): // a released version of a changelog
			released = true
		case released:
		case strings.HasPrefix(trimmed, "|"):
			flush()
			row := codeSpan.ReplaceAllString(trimmed, "x")
			for cell := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, "x"), "|") {
				if word.MatchString(cell) {
					found = append(found, block{lines: []textLine{{n, cell}}})
				}
			}
		case strings.HasPrefix(trimmed, "#"):
			flush()
			found = append(found, block{lines: []textLine{{n, strings.TrimLeft(trimmed, "# ")}}})
		case strings.HasPrefix(trimmed, "<"):
			flush()
		default:
			plain = append(plain, textLine{n, strings.TrimLeft(line, "> ")})
		}
	}
	flush()
	return found
}

func shellBlocks(text string) []block {
	var groups [][]textLine
	last := -1
	for i, line := range strings.Split(text, "\n") {
		comment, own := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !own {
			_, after, found := strings.Cut(line, " # ")
			if !found {
				continue
			}
			comment = after
		}
		if directive.MatchString(strings.TrimSpace(line)) {
			continue
		}
		if own && last == i-1 && len(groups) > 0 {
			groups[len(groups)-1] = append(groups[len(groups)-1], textLine{i + 1, comment})
		} else {
			groups = append(groups, []textLine{{i + 1, comment}})
		}
		if own {
			last = i
		}
	}
	return commentBlocks(groups)
}

func commentBlocks(groups [][]textLine) []block {
	var found []block
	for _, lines := range groups {
		found = append(found, paragraphs(lines, true)...)
	}
	return found
}

// scriptComments returns the comments of a script or a style sheet. Comments
// to the end of the line on neighboring lines of their own are one.
func scriptComments(text string, script bool) [][]textLine {
	var groups [][]textLine
	last, line := -1, 1
	for i := 0; i < len(text); {
		rest := text[i:]
		end := 1
		switch {
		case script && strings.HasPrefix(rest, "//"):
			end = lineEnd(rest)
			lines := commentLines(rest[:end], line)
			begin := strings.LastIndexByte(text[:i], '\n') + 1
			own := strings.TrimSpace(text[begin:i]) == ""
			if own && last == line-1 && len(groups) > 0 {
				groups[len(groups)-1] = append(groups[len(groups)-1], lines...)
			} else {
				groups = append(groups, lines)
			}
			if own {
				last = line
			}
		case strings.HasPrefix(rest, "/*"):
			end = len(rest)
			if at := strings.Index(rest, "*/"); at >= 0 {
				end = at + 2
			}
			groups = append(groups, commentLines(rest[:end], line))
		case rest[0] == '"', rest[0] == '\'':
			end = quoted(rest, true)
		case script && rest[0] == '`':
			end = quoted(rest, false)
		}
		line += strings.Count(text[i:i+end], "\n")
		i += end
	}
	return groups
}

func lineEnd(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return at
	}
	return len(text)
}

// quoted returns the length of a string. An unclosed quote on a line is
// an apostrophe in a text, or part of a regular expression.
func quoted(text string, oneLine bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && oneLine:
			return 1
		}
	}
	return 1
}
