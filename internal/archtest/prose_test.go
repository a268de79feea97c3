package archtest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostWords is the length of the longest sentence.
const mostWords = 35

// phrase is an expression that reads badly, and its plain alternative.
type phrase struct {
	expr   *regexp.Regexp
	except *regexp.Regexp // a sentence with a match of it passes
	plain  string
	within string // a page that explains the term and may use it
}

// phrases are the expressions that Portico's style avoids. Each expression has
// to let correct plain English pass: "a letter" of the alphabet is no email.
var phrases = []phrase{
	subject(`(?i)(^|[:;] )who(ever)? .*[.;:]$`, "the visitor, the user, the caller, the operator"),
	{expr: regexp.MustCompile(`(?i)(^|; )what .*\.$`), plain: "name the subject instead of \"what\"",
		except: regexp.MustCompile(`(?i)(^|; )what to `)},
	subject(`(?i)(^|[:;,] )one that\b`, "a node that, a key that"),
	subject(`(?i)\bthose that\b`, "the keys that, the nodes that"),
	subject(`(?i)\bnobody\b`, "no user, no caller, no operator"),
	{expr: regexp.MustCompile(`(?i)\b(that|those) of\b`), plain: "repeat the noun"},
	{expr: regexp.MustCompile(`(?i)\bdear(er|est|ly)?\b`), plain: "say expensive"},
	{expr: regexp.MustCompile(`(?i)\b(the|this|its|each|one|every|his|her|a) letter\b`), plain: "say email",
		except: regexp.MustCompile(`(?i)digit|case|capital|ascii|charact|dead letter|alphabet|domain|\bto the letter\b`)},
	{expr: regexp.MustCompile(`(?i)\b(an?|one|each|every|second|first|next|last|another|the|no|per|failed|wrong|other) try\b|\b(the|more|of|wrong|failed|few|many|these|those|\d+) tries\b`), plain: "say attempt or retry"},
	{expr: regexp.MustCompile(`(?i)\b(an?|the|its|their|whole|one|first|second|third|each|all|half|for|\w+'s) life\b|\b(its|their|two|three|many) lives\b`), plain: "say lifetime, validity, or run of the process"},
	{expr: regexp.MustCompile(`(?i)\b(is|are|was|were|be) over([.,;:)]|$| (and|or|when|before|by|at|for)\b)`), plain: "say has ended or has expired"},
	{expr: regexp.MustCompile(`(?i)\bdoors?\b`), plain: "say handler, or Portico", within: glossary,
		except: regexp.MustCompile(`\bDoor\b|\bdoor\.[A-Z]|^Package door\b`)}, // names in the code
	{expr: regexp.MustCompile(`(?i)\b(an?|the|each|every|one|its|of|all|other|these|which|their|own|two|some) rooms?\b`), plain: "say package", within: glossary + " docs/architecture.md"},
}

const glossary = "docs/glossary.md"

func subject(expr, plain string) phrase {
	return phrase{expr: regexp.MustCompile(expr), plain: "name the subject: " + plain}
}

// banner is a comment of repeated signs, such as a row of dashes.
var banner = regexp.MustCompile(`^\W*([-=*#~_])(\W*)$`)

// prose holds that documents and comments are short sentences of plain English.
func prose(t *tree) []string {
	var broken []string
	for _, f := range proseFindings(t) {
		broken = append(broken, f.String())
	}
	return broken
}

// finding is a sentence that breaks the rule.
type finding struct {
	path    string
	line    int
	problem string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.problem) }

func proseFindings(t *tree) []finding {
	var found []finding
	for _, b := range blocks(t) {
		for _, s := range b.sentences() {
			for _, problem := range problems(b.path, s.text) {
				found = append(found, finding{b.path, s.line, problem})
			}
		}
	}
	return found
}

func problems(name, sentence string) []string {
	if banner.MatchString(sentence) {
		return []string{"a banner: delete it, or split the file"}
	}
	var found []string
	if n := countWords(sentence); n > mostWords {
		found = append(found, fmt.Sprintf("%d words in a sentence, at most %d: %q", n, mostWords, start(sentence)))
	}
	for _, p := range phrases {
		m := p.expr.FindString(sentence)
		if m == "" || slices.Contains(strings.Fields(p.within), name) || p.except != nil && p.except.MatchString(sentence) {
			continue
		}
		found = append(found, fmt.Sprintf("%q: %s", start(strings.TrimLeft(m, ":;, ")), p.plain))
	}
	return found
}

func start(sentence string) string {
	words := strings.Fields(sentence)
	if len(words) > 8 {
		return strings.Join(words[:8], " ") + " ..."
	}
	return strings.Join(words, " ")
}

var word = regexp.MustCompile(`[\pL\d]`)

func countWords(sentence string) int {
	n := 0
	for _, w := range strings.Fields(sentence) {
		if word.MatchString(w) {
			n++
		}
	}
	return n
}

var proseBelow = flag.String("prose", "", "print every finding of TestProse in the files below this folder of the repository")

func TestProse(t *testing.T) {
	t.Parallel()
	if *proseBelow != "" {
		printFindings(t, strings.Trim(*proseBelow, "/"))
		return
	}
	long := strings.Repeat("word ", 35)
	hold(t, prose, map[string]string{
		"a/a.go": "// Package a passes. Who passes?\npackage a\n\n" +
			"// One is the gate that nobody passes.\n// Two is that of one.\nvar one = \"nobody\" // dear\n\n" +
			"// -------- names --------\n// ------------------\n// Text:\n//\n//\tnobody\n//\n//   - nobody\nvar two = 2\n",
		"a/made.go": "// Code generated by x. DO NOT EDIT.\n\n// nobody\npackage a\n",
		"x/b.ts":    "const url = 'https://nobody', it = `nobody // ${x}` // nobody\n/**\n * Fine.\n * What is sent is kept.\n */\n",
		"x/b.css":   "a { color: red; } /* those of b */\n/* fine, what to do */\n",
		"x/b.sh":    "#!/bin/sh\n# " + long + "\n# and more.\necho \"# \" # the second try\n",
		"x/c.md": "# The rooms and who enters\n\n" + long + "word.\n" + long + "`code span`. E.g. `nobody`, i.e. [nobody](x.md)\nis here; who asks\nis told.\n" +
			"```\nnobody\n```\n| one letter of ASCII | the letter is sent |\n|---|---|\n| " + long + "| " + long + "word |\n> It is over. It is over HTTP.\n",
		"docs/glossary.md":      "A door, every room, nobody.",
		"docs/specification.md": "Nobody.",
	},
		`a/a.go:4: "nobody": name the subject: no user, no caller, no operator`,
		`a/a.go:5: "that of": repeat the noun`,
		`a/a.go:6: "dear": say expensive`,
		`a/a.go:9: a banner: delete it, or split the file`,
		`a/a.go:14: "nobody": name the subject: no user, no caller, no operator`,
		`docs/glossary.md:1: "nobody": name the subject: no user, no caller, no operator`,
		`x/b.css:1: "those of": repeat the noun`,
		`x/b.sh:2: 37 words in a sentence, at most 35: "word word word word word word word word ..."`,
		`x/b.sh:4: "second try": say attempt or retry`,
		`x/b.ts:1: "nobody": name the subject: no user, no caller, no operator`,
		`x/b.ts:4: "What is sent is kept.": name the subject instead of "what"`,
		`x/c.md:1: "The rooms": say package`,
		`x/c.md:3: 36 words in a sentence, at most 35: "word word word word word word word word ..."`,
		`x/c.md:4: 36 words in a sentence, at most 35: "word word word word word word word word ..."`,
		`x/c.md:4: "who asks is told.": name the subject: the visitor, the user, the caller, the operator`,
		`x/c.md:4: "nobody": name the subject: no user, no caller, no operator`,
		`x/c.md:10: "the letter": say email`,
		`x/c.md:12: 36 words in a sentence, at most 35: "word word word word word word word word ..."`,
		`x/c.md:13: "is over.": say has ended or has expired`,
	)
}

// printFindings fails when there are any, because go test hides what a passing
// test prints.
func printFindings(t *testing.T, folder string) {
	n := 0
	for _, f := range proseFindings(read(t, os.DirFS("../.."))) {
		if folder == "." || f.path == folder || strings.HasPrefix(f.path, folder+"/") {
			fmt.Println(f)
			n++
		}
	}
	if n > 0 {
		t.Errorf("%d findings in %s", n, folder)
	}
}
