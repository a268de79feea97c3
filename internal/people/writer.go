package people

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"portico/internal/legible"
)

// Exported is a person who leaves Portico.
type Exported struct {
	Person
	Providers []string // of the identities: their names in the settings
	Unopened  bool     // an authenticator app is left out, because no key opens it
}

// Writer writes people in the form that other software reads.
type Writer interface {
	// Write returns what of the person the form has no place for.
	Write(p Exported) (left []string, err error)
	Close() error
}

// NewWriter returns the Writer of a format: csv, keycloak or auth0. The realm is of Keycloak.
func NewWriter(format, realm string, out io.Writer) Writer {
	switch format {
	case "keycloak":
		return &keycloakWriter{users: users{out: bufio.NewWriter(out)}, realm: realm, roles: map[string]bool{}}
	case "auth0":
		return &auth0Writer{users{out: bufio.NewWriter(out)}}
	}
	return &csvWriter{csv: csv.NewWriter(out)}
}

// users writes a JSON list, one user a line.
type users struct {
	out   *bufio.Writer
	begun bool
}

// add writes one user. head comes before the first one.
func (u *users) add(head string, user any) error {
	b, err := json.Marshal(user)
	if err != nil {
		return err
	}
	u.begin(head)
	if u.begun {
		_, _ = u.out.WriteString(",\n")
	}
	u.begun = true
	_, err = u.out.Write(b) // it has the error of the writes before
	return err
}

func (u *users) begin(head string) {
	if !u.begun {
		_, _ = u.out.WriteString(head + "\n")
	}
}

func (u *users) end(head, tail string) error {
	u.begin(head)
	_, _ = u.out.WriteString("\n" + tail + "\n")
	return u.out.Flush()
}

// csvWriter writes a table for a spreadsheet. It has no secrets.
type csvWriter struct {
	csv   *csv.Writer
	begun bool
}

func (w *csvWriter) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.csv.Write([]string{
		"id", "email", "email_verified", "name", "locale", "state", "roles", "created_at", "seen_at", "ends_at", "addresses",
		"identities", "has_password", "authenticator_apps", "passkeys", "recovery_codes", "former_id", "claims",
	})
}

// Write implements Writer.
func (w *csvWriter) Write(p Exported) ([]string, error) {
	if err := w.begin(); err != nil {
		return nil, err
	}
	var addresses, identities []string
	for _, a := range p.Addresses {
		addresses = append(addresses, a.Email)
	}
	for _, i := range p.Identities {
		identities = append(identities, i.Issuer+" "+i.Subject)
	}
	former := ""
	if p.Subject != nil {
		former = p.Subject.Value
	}
	row := []string{
		p.ID, p.Email, strconv.FormatBool(p.EmailVerified), p.Name, p.Locale, p.State, strings.Join(p.Roles, ";"), cellOf(p.CreatedAt), cellOf(p.SeenAt), cellOf(p.EndsAt), strings.Join(addresses, ";"),
		strings.Join(identities, ";"), strconv.FormatBool(p.Password != ""), strconv.Itoa(len(p.TOTP)), strconv.Itoa(len(p.Passkeys)), strconv.Itoa(len(p.RecoveryCodes)), former, string(p.Claims),
	}
	for i, cell := range row {
		row[i] = legible.Inert(cell)
	}
	return nil, w.csv.Write(row)
}

func cellOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

// Close implements Writer. A table of nobody has the names of its columns.
func (w *csvWriter) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	w.csv.Flush()
	return w.csv.Error()
}

// left returns what no other product has a place for.
func (p Exported) left() (words []string) {
	for _, part := range []struct {
		has  bool
		word string
	}{
		{p.Password != "", "password"}, {len(p.RecoveryCodes) > 0, "recovery codes"}, {len(p.Passkeys) > 0, "passkeys"},
		{len(p.Addresses) > 0, "other addresses"}, {!p.EndsAt.IsZero(), "end of the account"}, {p.Subject != nil, "former id"},
	} {
		if part.has {
			words = append(words, part.word)
		}
	}
	return words
}
