package people

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
)

// export reads the entries of another system, whose fields are the json tags of E.
type export[E any] struct {
	next   func() ([]byte, Place, error)
	person func(o Options, e *E, at *Place) (Person, error)
	o      Options
	found  map[string]bool // fields with the tag brings that an entry has had
}

// Next implements Reader.
func (x *export[E]) Next() (Person, Place, error) {
	text, at, err := x.next()
	if err != nil {
		return Person{}, at, err
	}
	var e E
	if at.Ignored, err = decode(text, &e, x.found); err != nil {
		return Person{}, at, err
	}
	p, err := x.person(x.o, &e, &at)
	return p, at, err
}

// openJSON returns a Reader of the lists at a path of keys; without one, of a list or of lines. alone is the file of one entry in a
// line, in place of %s: many such lines are a file again.
func openJSON[E any](alone string, person func(Options, *E, *Place) (Person, error), path ...string) func(io.Reader, Options) (Reader, error) {
	return func(r io.Reader, o Options) (Reader, error) {
		in, err := text(r)
		if err != nil {
			return nil, err
		}
		x := &export[E]{o: o, person: person, found: map[string]bool{}}
		if len(path) == 0 && begins(in) == '{' {
			l := &lines{in: in}
			x.next = func() ([]byte, Place, error) {
				line, err := l.next()
				return line, Place{Line: l.line, Raw: line}, err
			}
			return x, nil
		}
		s := newStream(in, path...)
		x.next = func() ([]byte, Place, error) {
			entry, line, err := s.next()
			at := Place{Line: line}
			if err == nil {
				var b bytes.Buffer
				_ = json.Compact(&b, entry) // it was read
				at.Raw = []byte(strings.Replace(alone, "%s", b.String(), 1))
			}
			return entry, at, err
		}
		return x, nil
	}
}

// begins returns the first character that is no space, 0 without one.
func begins(in *bufio.Reader) byte {
	head, _ := in.Peek(4096)
	if head = bytes.TrimLeft(head, " \t\n"); len(head) > 0 {
		return head[0]
	}
	return 0
}

// openTable is openJSON for CSV, whose columns are the fields. A value that is an object or a
// list stays one.
func openTable[E any](person func(Options, *E, *Place) (Person, error)) func(io.Reader, Options) (Reader, error) {
	return func(r io.Reader, o Options) (Reader, error) {
		c, err := openRecords(r)
		if err != nil {
			return nil, err
		}
		found := map[string]bool{}
		for _, name := range c.names {
			found[name] = true
		}
		return &export[E]{o: o, person: person, found: found, next: func() ([]byte, Place, error) {
			values, at, err := c.record()
			if err != nil {
				return nil, at, err
			}
			return object(c.names, values), at, nil
		}}, nil
	}
}

// openEither reads CSV or JSON, whichever it is.
func openEither[E any](person func(Options, *E, *Place) (Person, error)) func(io.Reader, Options) (Reader, error) {
	return func(r io.Reader, o Options) (Reader, error) {
		in, err := text(r)
		if err != nil {
			return nil, err
		}
		if first := begins(in); first == '[' || first == '{' {
			return openJSON("%s", person)(in, o)
		}
		return openTable(person)(in, o)
	}
}

// object makes a JSON object of a record. Empty values are left out.
func object(names, values []string) []byte {
	fields := map[string]json.RawMessage{}
	for i, v := range values {
		if v == "" || v == "null" {
			continue
		}
		fields[names[i]], _ = json.Marshal(v) // a text never fails
		if (v[0] == '{' || v[0] == '[') && json.Valid([]byte(v)) {
			fields[names[i]] = json.RawMessage(v)
		}
	}
	b, _ := json.Marshal(fields) // all values are valid
	return b
}

// subject is the foreign id under the issuer that the operator has named.
func (o Options) subject(id string) *Subject {
	if id == "" {
		return nil
	}
	return &Subject{Issuer: o.Issuer, Value: id}
}

// identity adds an account at a provider. A provider whose issuer is not known is not taken: the
// parameter "issuer.<name>" names it.
func (o Options) identity(p *Person, at *Place, provider, subject string) {
	known := map[string]string{
		"google": "https://accounts.google.com", "google-oauth2": "https://accounts.google.com", "google.com": "https://accounts.google.com",
		"github": "https://github.com", "github.com": "https://github.com", "gitlab": "https://gitlab.com", "bitbucket": "https://bitbucket.org",
		"apple": "https://appleid.apple.com", "apple.com": "https://appleid.apple.com", "discord": "https://discord.com",
		"facebook": "https://www.facebook.com", "facebook.com": "https://www.facebook.com", "spotify": "https://accounts.spotify.com",
	}
	issuer := cmp.Or(o.Parameters["issuer."+provider], known[provider])
	if issuer == "" || subject == "" {
		at.ignore("identity of " + provider)
		return
	}
	p.Identities = append(p.Identities, Identity{Issuer: issuer, Subject: subject})
}

// ignore notes something that is not taken.
func (at *Place) ignore(name string) {
	if len(at.Ignored) < mostIgnored {
		at.Ignored = append(at.Ignored, Short(name))
	}
}

const givenPassword = "password to be changed: "

// dropGiven leaves out a password that the former system has its owner change at the next sign-in: whoever
// gave it knows it. The owner chooses one by email.
func (p *Person) dropGiven(at *Place, why string) {
	if p.Password != "" {
		p.Password = ""
		at.ignore(givenPassword + why)
	}
}

// state says that an account is disabled. An export that says the opposite says nothing: somebody may have disabled it here.
func state(disabled boolean) string {
	if disabled {
		return "disabled"
	}
	return ""
}

// full joins the parts of a name.
func full(parts ...string) string { return strings.Join(strings.Fields(strings.Join(parts, " ")), " ") }

// claims returns an object as claims. One without members says that there are none.
func claims(object json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return nil
	}
	return object
}

// seed is the secret of an authenticator app whose bytes the export has as text.
func seed(text string) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(text))
}

// urlSafe writes base64 of any alphabet as base64url without padding.
func urlSafe(text string) string {
	return strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(text, "="))
}

// phc returns a hash in the form $kind$params$salt$digest, with all parts behind the kind in base64
// or as they are.
func phc(kind string, parts ...string) string { return "$" + kind + "$" + strings.Join(parts, "$") }

// bytesOf decodes a value by the name of its encoding: base64 unless it is hex or a text.
func bytesOf(value, encoding string) (string, error) {
	var b []byte
	var err error
	switch strings.ToLower(encoding) {
	case "hex":
		b, err = hex.DecodeString(value)
	case "utf8", "utf-8":
		b = []byte(value)
	default:
		return value, nil
	}
	return base64.RawStdEncoding.EncodeToString(b), err
}
