package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/legible"
)

const day = 24 * time.Hour

// key is one setting: its name, its meaning, and how to set and read it in a
// Config.
type key struct {
	name   string // in the file: "session.idle"
	kind   string // for documentation: "duration"
	about  string
	secret bool // the value is hidden, and can come from a file of its own
	lines  bool // the value may stand on several lines, and can come from a file of its own
	stated bool // an empty value is a mistake, and not the default

	set func(*Config, value) mistakes
	get func(*Config) string // as TOML; hides the secret part

	digest func(*Config) string // of a value that get hides: differs for two values and hides both
}

// value is the input for a key.
type value struct {
	raw    any // string, bool, int64, []any and so on; always a string from the environment
	env    bool
	source string
	items  []string // where each item of a list is
}

// env returns the environment variable of the key. Keys of [[app]] and
// [[client]] have none and return "": the environment gives tables no order or
// number.
func (k key) env() string {
	if array, _, _ := strings.Cut(k.name, "."); slices.Contains(tableArrays(), array) {
		return ""
	}
	return "PORTICO_" + strings.ToUpper(strings.ReplaceAll(k.name, ".", "_"))
}

// text returns a key that holds a string. check may return a normal form of it.
func text(name string, at func(*Config) *string, check func(string) (string, *mistake), about string) key {
	return key{
		name: name, kind: "text", about: about,
		get: func(c *Config) string { return strconv.Quote(*at(c)) },
		set: func(c *Config, v value) mistakes {
			s, ok := v.raw.(string)
			if !ok {
				return only(&mistake{"the value is not a string", `write it in quotes: "..."`})
			}
			s, m := check(s)
			if m == nil {
				*at(c) = s
			}
			return only(m)
		},
	}
}

// onLines lets the value of a text key stand on several lines, as files with keys do.
func (k key) onLines() key {
	k.lines = true
	return k
}

// secretly makes the value of a text key secret. redact returns the part that
// may be shown.
func (k key) secretly(at func(*Config) *string, redact func(string) string) key {
	k.secret, k.kind = true, "text, secret"
	return k.hiding(at, redact)
}

// hiding shows only a part of the value of a text key.
func (k key) hiding(at func(*Config) *string, redact func(string) string) key {
	k.digest = func(c *Config) string {
		sum := sha256.Sum256([]byte(*at(c)))
		return hex.EncodeToString(sum[:])
	}
	k.get = func(c *Config) string { return strconv.Quote(redact(*at(c))) }
	return k
}

// anything accepts any text.
func anything(s string) (string, *mistake) { return s, nil }

// oneOf accepts only the given words.
func oneOf(words ...string) func(string) (string, *mistake) {
	return func(s string) (string, *mistake) {
		for _, w := range words {
			if s == w {
				return s, nil
			}
		}
		return "", &mistake{fmt.Sprintf("%q is not a known value", s), OneFrom(s, words)}
	}
}

// number returns a key that holds a whole number.
func number(name string, at func(*Config) *int, least, most int, about string) key {
	write := fmt.Sprintf("write a number from %d to %d", least, most)
	return key{
		name: name, kind: "number", about: about,
		get: func(c *Config) string { return strconv.Itoa(*at(c)) },
		set: func(c *Config, v value) mistakes {
			n, ok := v.raw.(int64)
			if s, isText := v.raw.(string); isText && v.env {
				var err error
				n, err = strconv.ParseInt(s, 10, 64)
				ok = err == nil
			}
			if !ok {
				return only(&mistake{"the value is not a whole number", write})
			}
			if n < int64(least) || n > int64(most) || n > math.MaxInt32 {
				return only(&mistake{fmt.Sprintf("%d is out of range", n), write})
			}
			*at(c) = int(n)
			return nil
		},
	}
}

// fraction returns a key that holds a number from 0 to 1.
func fraction(name string, at func(*Config) *float64, about string) key {
	return key{
		name: name, kind: "number", about: about,
		get: func(c *Config) string { return strconv.FormatFloat(*at(c), 'f', -1, 64) },
		set: func(c *Config, v value) mistakes {
			n, ok := v.raw.(float64)
			if whole, isWhole := v.raw.(int64); isWhole {
				n, ok = float64(whole), true
			}
			if s, isText := v.raw.(string); isText && v.env {
				var err error
				n, err = strconv.ParseFloat(s, 64)
				ok = err == nil
			}
			if !ok || !(n >= 0 && n <= 1) { // NaN fails both comparisons
				return only(&mistake{"the value is not between 0 and 1", "write a number from 0 to 1, such as 0.1"})
			}
			*at(c) = n
			return nil
		},
	}
}

// toggle returns a key that is true or false.
func toggle(name string, at func(*Config) *bool, about string) key {
	return key{
		name: name, kind: "true or false", about: about,
		get: func(c *Config) string { return strconv.FormatBool(*at(c)) },
		set: func(c *Config, v value) mistakes {
			b, ok := v.raw.(bool)
			if s, isText := v.raw.(string); isText && v.env && (s == "true" || s == "false") {
				b, ok = s == "true", true
			}
			if !ok {
				return only(&mistake{"the value is neither true nor false", "write true or false, without quotes in the file"})
			}
			*at(c) = b
			return nil
		},
	}
}

// duration returns a key that holds a duration.
func duration(name string, at func(*Config) *time.Duration, least, most time.Duration, about string) key {
	write := fmt.Sprintf("write a time from %s to %s, such as 30d, 12h or 45m", formatDuration(least), formatDuration(most))
	return key{
		name: name, kind: "duration", about: about,
		get: func(c *Config) string { return strconv.Quote(formatDuration(*at(c))) },
		set: func(c *Config, v value) mistakes {
			s, _ := v.raw.(string)
			d, ok := ParseDuration(s)
			if !ok {
				return only(&mistake{"the value is not a duration", write})
			}
			if d < least || d > most {
				return only(&mistake{s + " is out of range", write})
			}
			*at(c) = d
			return nil
		},
	}
}

// list returns a key that holds several texts. In the environment, commas
// separate them.
func list[T any](name string, at func(*Config) *[]T, parse func(string) (T, *mistake), format func(T) string, about string) key {
	return key{
		name: name, kind: "list", about: about,
		get: func(c *Config) string {
			items := make([]string, len(*at(c)))
			for i, item := range *at(c) {
				items[i] = strconv.Quote(format(item))
			}
			return "[" + strings.Join(items, ", ") + "]"
		},
		set: func(c *Config, v value) mistakes {
			texts, ok := v.texts()
			if !ok {
				return only(&mistake{"the value is not a list of strings", `write ["...", "..."]`})
			}
			var items []T
			var all mistakes
			for i, s := range texts {
				item, m := parse(s)
				for _, wrong := range only(m) {
					wrong.item = i
					all = append(all, wrong)
				}
				items = append(items, item)
			}
			if len(all) == 0 {
				*at(c) = items
			}
			return all
		},
	}
}

// location returns a key that holds a URL; nil means not set.
func location(name string, at func(*Config) **url.URL, check func(string) (*url.URL, *mistake), about string) key {
	return key{
		name: name, kind: "URL", about: about,
		get: func(c *Config) string {
			if *at(c) == nil {
				return `""`
			}
			return strconv.Quote((*at(c)).String())
		},
		set: func(c *Config, v value) mistakes {
			s, _ := v.raw.(string)
			u, m := check(s)
			if m == nil {
				*at(c) = u
			}
			return only(m)
		},
	}
}

// illegible returns the mistakes of texts in a value that people could not read as they
// are. It judges the value of every setting, in addition to the check of its key.
func (k key) illegible(v value) (all mistakes) {
	texts, isList := v.texts()
	if s, ok := v.raw.(string); ok && k.kind != "list" {
		texts, isList = []string{s}, false
	}
	for i, s := range texts {
		if k.lines {
			s = strings.Join(strings.Fields(s), " ")
		}
		if err := legible.Check(s); err != nil {
			for _, wrong := range only(&mistake{"the value contains " + err.Error(), "remove it"}) {
				if isList {
					wrong.item = i
				}
				all = append(all, wrong)
			}
		}
	}
	return all
}

// trim removes invisible characters from the ends of a text, or of each text in a list.
func (v *value) trim() {
	switch raw := v.raw.(type) {
	case string:
		v.raw = legible.Trim(raw)
	case []any:
		for i := range raw {
			if s, ok := raw[i].(string); ok {
				raw[i] = legible.Trim(s)
			}
		}
	}
}

// inQuotes reports whether a value of the environment has the quotes of a shell. A file of variables for a
// container has no shell that removes them.
func (v value) inQuotes() bool {
	s, _ := v.raw.(string)
	return v.env && len(s) > 1 && s[0] == s[len(s)-1] && (s[0] == '"' || s[0] == '\'')
}

// texts returns the items of a list.
func (v value) texts() ([]string, bool) {
	if s, ok := v.raw.(string); ok && v.env {
		items := strings.Split(s, ",")
		for i := range items {
			items[i] = legible.Trim(items[i])
		}
		return items, true
	}
	raw, ok := v.raw.([]any)
	items := make([]string, len(raw))
	for i := range raw {
		s, isText := raw[i].(string)
		if !isText {
			return nil, false
		}
		items[i] = s
	}
	return items, ok
}

// stated returns a key whose value may not be empty. The default would open what a variable
// without a value was meant to close.
func stated(k key) key {
	k.stated = true
	return k
}

// empty reports whether the value is the empty string. It counts as not set, unless the key is stated,
// because Compose files pass unset variables as empty ones.
func (v value) empty() bool { return v.raw == "" }
