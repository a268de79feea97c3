// Package claim owns the JSON object that an operator or an admin gives an account for apps, and
// the settings that say which part of it an app gets under which name.
//
// Invariants:
//   - An object has at most Max bytes, no name twice, no name of Reserved, and no invisible characters.
//   - Numbers and the order of names stay as they were written.
package claim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"portico/internal/legible"
)

const (
	Max = 4 << 10 // bytes, without blanks between values

	maxTyped = 64 << 10
	maxDepth = 8
)

// Reserved are the names that have a meaning of their own in tokens (RFC 7519 4.1, OpenID Connect Core 2). Under them an
// app gets nothing from an account, so whoever writes one expects what will not happen.
func Reserved() []string {
	return []string{"iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "nonce", "azp", "acr", "amr", "auth_time", "at_hash", "c_hash", "cnf", "client_id", "scope", "events"}
}

// Unreserved returns an object without the names of Reserved, and whether it had any. Another text comes back as it is.
func Unreserved(object string) (without string, had bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &members) != nil {
		return object, false
	}
	for _, name := range Reserved() {
		_, there := members[name]
		delete(members, name)
		had = had || there
	}
	if !had {
		return object, false // with its order
	}
	text, err := json.Marshal(members)
	return string(text), err == nil
}

// Mistake says why a text is not such an object, and on which line.
type Mistake struct {
	Line int // from 1
	Why  string
}

// Parse returns the object of a text without blanks between its values, or "" for an object
// without names and for no text.
func Parse(typed string) (string, *Mistake) {
	switch {
	case strings.TrimSpace(typed) == "":
		return "", nil
	case len(typed) > maxTyped:
		return "", tooLong(len(typed))
	}
	if err := json.Unmarshal([]byte(typed), new(json.RawMessage)); err != nil {
		return "", misplaced(typed, err)
	}
	var short bytes.Buffer
	if bad := walk(typed); bad != nil {
		return "", bad
	}
	if err := json.Compact(&short, []byte(typed)); err != nil {
		return "", &Mistake{1, err.Error()}
	}
	switch {
	case short.Len() > Max:
		return "", tooLong(short.Len())
	case short.Len() == len("{}"):
		return "", nil
	}
	return short.String(), nil
}

// misplaced says in plain words where a text is no JSON.
func misplaced(typed string, err error) *Mistake {
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case !ok || strings.Contains(wrong.Error(), "unexpected end"):
		return &Mistake{lineAt(typed, int64(len(strings.TrimRight(typed, " \t\r\n")))), "the text ends before the object does"}
	case strings.Contains(wrong.Error(), "max depth"):
		return &Mistake{lineAt(typed, wrong.Offset), tooDeep}
	}
	char, _ := utf8.DecodeRuneInString(typed[wrong.Offset-1:])
	return &Mistake{lineAt(typed, wrong.Offset), fmt.Sprintf("%q is not expected here: each name and each text is in double quotes, and commas are only between two members", char)}
}

var tooDeep = fmt.Sprintf("more than %d objects and lists are in each other", maxDepth)

func tooLong(size int) *Mistake {
	return &Mistake{1, fmt.Sprintf("the object has %d bytes, and at most %d are allowed", size, Max)}
}

// lineAt returns the line of a position in a text.
func lineAt(text string, offset int64) int {
	return 1 + strings.Count(text[:min(max(offset-1, 0), int64(len(text)))], "\n")
}

// walk checks what JSON itself allows. The text is valid JSON.
func walk(typed string) *Mistake {
	dec := json.NewDecoder(strings.NewReader(typed))
	dec.UseNumber()
	type level struct {
		names map[string]bool // nil in a list
		value bool            // a name was read, and its value comes next
	}
	var open []*level
	wrong := func(why string) *Mistake { return &Mistake{lineAt(typed, dec.InputOffset()), why} }
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return wrong(err.Error())
		}
		if len(open) == 0 && t != json.Delim('{') {
			return wrong("the text is not an object: begin it with { and end it with }")
		}
		if s, ok := t.(string); ok {
			if err := legible.Check(s); err != nil {
				return wrong("a text has " + err.Error())
			}
		}
		if n, ok := t.(json.Number); ok {
			if _, err := n.Float64(); err != nil {
				return wrong("the number " + n.String() + " is too large") // for most readers of tokens
			}
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			in := open[len(open)-1]
			if in.names != nil && !in.value {
				name := t.(string)
				switch {
				case in.names[name]:
					return wrong("the name " + name + " is there twice")
				case len(open) == 1 && slices.Contains(Reserved(), name):
					return wrong("the name " + name + " already has a meaning in tokens: choose another name")
				}
				in.names[name], in.value = true, true
				continue
			}
			in.value = false
		}
		switch t {
		case json.Delim('{'):
			open = append(open, &level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, &level{})
		}
		if len(open) > maxDepth {
			return wrong(tooDeep)
		}
	}
}

// at returns the value at a path of names that dots join, or nil. null counts as no value.
func at(object, path string) json.RawMessage {
	value := json.RawMessage(object)
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil {
			return nil
		}
		value = members[name]
	}
	if string(value) == "null" {
		return nil
	}
	return value
}

// Source is the beginning of what a setting takes from the object: claim.quota.
const Source = "claim."

// Add adds the extra claims of the form name=claim.PATH and name='text' to claims, except under
// names that are there.
func Add(claims map[string]any, extra []string, object string) {
	for _, line := range extra {
		name, source, _ := strings.Cut(line, "=")
		if _, taken := claims[name]; taken {
			continue
		}
		if path, ok := strings.CutPrefix(source, Source); ok {
			if value := at(object, path); value != nil {
				claims[name] = value
			}
		} else if text, ok := strings.CutPrefix(source, "'"); ok {
			claims[name] = strings.TrimSuffix(text, "'")
		}
	}
}
