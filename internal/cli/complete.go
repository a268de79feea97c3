package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completeCmd is what the completions of the shells call (packaging/completions).
type completeCmd struct {
	Words []string `arg:"" optional:"" help:"The words after 'portico'. The last one is incomplete."`
}

func (completeCmd) Help() string {
	return "Example:\n  portico complete user cr\n\nPrints the words that may follow, each with a tab and its meaning. The completions of bash, zsh and fish call it."
}

func (c completeCmd) Run(s *session, k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" { // kong leaves it here
		words = words[1:]
	}
	return s.print(false, nil, candidates(k.Model.Node, words)...)
}

// candidates returns the words that may replace the last word, with their meanings.
func candidates(node *kong.Node, words []string) (found []string) {
	last := ""
	if n := len(words); n > 0 {
		words, last = words[:n-1], words[n-1]
	}
	if len(words) > 0 && words[0] == "help" {
		words = words[1:]
	} else if len(words) == 0 && strings.HasPrefix("help", last) {
		found = append(found, "help\tShow the help of a command.")
	}
	value := false // the next word is the value of a flag
	for _, word := range words {
		switch {
		case value:
			value = false
		case strings.HasPrefix(word, "-"):
			value = takesValue(node, word)
		default:
			if at := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word }); at >= 0 {
				node = node.Children[at]
			}
		}
	}
	if value {
		return nil
	}
	offer := func(word, meaning string) {
		if strings.HasPrefix(word, last) {
			found = append(found, word+"\t"+meaning)
		}
	}
	for _, child := range node.Children {
		if !child.Hidden {
			offer(child.Name, child.Help)
		}
	}
	if strings.HasPrefix(last, "-") {
		for _, flag := range slices.Concat(node.AllFlags(true)...) {
			offer("--"+flag.Name, flag.Help)
		}
	}
	return found
}

// takesValue reports whether the word after a flag is its value.
func takesValue(node *kong.Node, word string) bool {
	for _, flag := range slices.Concat(node.AllFlags(false)...) {
		if word == "--"+flag.Name {
			return !flag.IsBool()
		}
	}
	return false
}
