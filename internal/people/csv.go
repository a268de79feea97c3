package people

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// column puts a value that is not empty into a person.
type column func(p *Person, value string) *Problem

// columns are the columns of CSV, by their names. Lists have semicolons.
func columns() map[string]column {
	return map[string]column{
		"email":          func(p *Person, v string) *Problem { p.Email = v; return nil },
		"email_verified": func(p *Person, v string) *Problem { return truth(v, &p.EmailVerified) },
		"name":           func(p *Person, v string) *Problem { p.Name = v; return nil },
		"locale":         func(p *Person, v string) *Problem { p.Locale = v; return nil },
		"state":          func(p *Person, v string) *Problem { p.State = v; return nil },
		"created_at":     func(p *Person, v string) *Problem { return moment(v, &p.CreatedAt) },
		"seen_at":        func(p *Person, v string) *Problem { return moment(v, &p.SeenAt) },
		"ends_at":        func(p *Person, v string) *Problem { return moment(v, &p.EndsAt) },
		"roles":          func(p *Person, v string) *Problem { p.Roles = parts(v); return nil },
		"password":       func(p *Person, v string) *Problem { p.Password = v; return nil },
		"recovery_codes": func(p *Person, v string) *Problem { p.RecoveryCodes = parts(v); return nil },
		"issuer":         func(p *Person, v string) *Problem { p.subject().Issuer = v; return nil },
		"subject":        func(p *Person, v string) *Problem { p.subject().Value = v; return nil },
		"totp_secret":    func(p *Person, v string) *Problem { p.app().Secret = v; return nil },
		"totp_digits":    func(p *Person, v string) *Problem { return number(v, &p.app().Digits) },
		"totp_period":    func(p *Person, v string) *Problem { return number(v, &p.app().Period) },
		"totp_algorithm": func(p *Person, v string) *Problem { p.app().Algorithm = v; return nil },
		"claims": func(p *Person, v string) *Problem {
			if !json.Valid([]byte(v)) {
				return &Problem{Reason: "must be a JSON object"}
			}
			p.Claims = json.RawMessage(v)
			return nil
		},
	}
}

func (p *Person) subject() *Subject {
	if p.Subject == nil {
		p.Subject = &Subject{}
	}
	return p.Subject
}

func (p *Person) app() *TOTP {
	if p.TOTP == nil {
		p.TOTP = []TOTP{{}}
	}
	return &p.TOTP[0]
}

// parts splits a list.
func parts(v string) (all []string) {
	for part := range strings.SplitSeq(v, ";") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

func truth(v string, into *bool) *Problem {
	switch strings.ToLower(v) {
	case "true", "t", "1", "yes":
		*into = true
	case "false", "f", "0", "no":
	default:
		return &Problem{Value: Short(v), Reason: "must be true or false"}
	}
	return nil
}

func moment(v string, into *time.Time) *Problem {
	at, err := time.Parse(time.RFC3339, v)
	if err != nil {
		return &Problem{Value: Short(v), Reason: "must be a time in the form of RFC 3339, such as 2026-01-02T15:04:05Z"}
	}
	if at.IsZero() {
		return &Problem{Value: Short(v), Reason: "must be between the years 1970 and 9999"}
	}
	*into = at
	return nil
}

func number(v string, into *int) *Problem {
	n, err := strconv.Atoi(v)
	if err != nil {
		return &Problem{Value: Short(v), Reason: "must be a whole number"}
	}
	*into = n
	return nil
}

// records reads the records of CSV, each of which is one line, behind a line with the names
// of the columns.
type records struct {
	lines
	head  []byte
	names []string
}

// openRecords reads the names of the columns.
func openRecords(r io.Reader) (*records, error) {
	in, err := text(r)
	if err != nil {
		return nil, err
	}
	c := &records{lines: lines{in: in}}
	head, err := c.next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the file is empty: the first line of CSV names its columns")
	}
	if err == nil {
		c.names, err = split(head)
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: the names of the columns: %w", c.line, err)
	}
	c.head = slices.Clone(head)
	if len(c.names) == 1 && strings.ContainsAny(c.names[0], ";\t") {
		return nil, fmt.Errorf("line %d: the columns have semicolons or tabs between them: save the file with commas", c.line)
	}
	for i, name := range c.names {
		if slices.Contains(c.names[:i], name) {
			return nil, fmt.Errorf("line %d: the column %q is there twice", c.line, Short(name))
		}
	}
	return c, nil
}

// record returns the values of the next record, one for each column.
func (c *records) record() ([]string, Place, error) {
	line, at, err := c.raw()
	if at.Head = c.head; err != nil {
		return nil, at, err
	}
	values, err := split(line)
	if err == nil && len(values) != len(c.names) {
		err = &Problem{Reason: fmt.Sprintf("has %d values for %d columns: the line may be cut off, or a comma lacks its quotes", len(values), len(c.names))}
	}
	return values, at, err
}

// raw returns the next record as it is written. A record that goes on after a line break is one Problem. If its lines counted as
// records, whoever wrote the text could add people.
func (c *records) raw() ([]byte, Place, error) {
	line, err := c.next()
	at := Place{Line: c.line, Raw: line}
	var p *Problem
	if !c.open || err != nil && !errors.As(err, &p) {
		return line, at, err
	}
	for all := bytes.Clone(line); ; {
		line, err = c.next()
		switch {
		case errors.Is(err, io.EOF), len(all) > MostBytes:
			return nil, at, errors.New("a value does not end: a quote is missing or not doubled")
		case err != nil && !errors.As(err, &p):
			return nil, at, err
		}
		all = append(append(all, '\n'), line...)
		if c.open {
			at.Raw = all
			return nil, at, &Problem{Reason: "has a line break in a value, or a quote is missing or not doubled"}
		}
	}
}

// split returns the values of one line of CSV.
func split(line []byte) ([]string, error) {
	if strings.Count(string(line), ",") >= MostColumns {
		return nil, &Problem{Reason: fmt.Sprintf("has more than %d columns", MostColumns)}
	}
	in := csv.NewReader(strings.NewReader(string(line)))
	in.FieldsPerRecord = -1
	values, err := in.Read()
	if err != nil {
		return nil, &Problem{Reason: "is not CSV: a quote is missing or not doubled"}
	}
	return values, nil
}

// csvPeople reads the own format as CSV.
type csvPeople struct {
	*records
	issuer  string
	sets    []column // nil for a column that is not known
	ignored []string
}

func openCSV(r io.Reader, o Options) (Reader, error) {
	c, err := openRecords(r)
	if err != nil {
		return nil, err
	}
	p, known := &csvPeople{records: c, issuer: o.Issuer}, columns()
	for _, name := range c.names {
		set := known[strings.TrimSpace(name)]
		p.sets = append(p.sets, set)
		if set == nil && len(p.ignored) < mostIgnored {
			p.ignored = append(p.ignored, Short(name))
		}
	}
	return p, nil
}

// Next implements Reader.
func (c *csvPeople) Next() (p Person, at Place, err error) {
	values, at, err := c.record()
	if err != nil {
		return p, at, err
	}
	at.Ignored = c.ignored
	for i, v := range values {
		if c.sets[i] == nil || v == "" {
			continue
		}
		if bad := c.sets[i](&p, v); bad != nil {
			bad.Field = c.names[i]
			return p, at, bad
		}
	}
	if p.Subject != nil {
		p.Subject.Issuer = cmp.Or(p.Subject.Issuer, c.issuer)
	}
	return p, at, nil
}
