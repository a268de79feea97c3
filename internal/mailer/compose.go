package mailer

import (
	"bytes"
	"errors"
	"regexp"

	gomail "github.com/wneessen/go-mail"

	"portico/internal/brand"
)

// idForm accepts the part of a Message-ID before the @. It is a subset of the
// dot-atom of RFC 5322 3.6.4 that needs no quoting.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// envelope is a finished email.
type envelope struct {
	from, to string
	content  []byte
}

// compose returns the email in its transfer format. It is ASCII with at most 78
// characters per line: headers are encoded (RFC 2047), bodies are
// quoted-printable.
func (m *Mailer) compose(msg Message) (envelope, error) {
	if !plainAddress(msg.To) {
		return envelope{}, errors.New("the recipient is not a plain address")
	}
	if !idForm.MatchString(msg.ID) {
		return envelope{}, errors.New("the id of the message does not fit into a Message-ID")
	}
	written, err := m.Render(msg)
	if err != nil {
		return envelope{}, err
	}
	out := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	out.FromMailAddress(m.from)
	if m.replyTo != nil {
		out.ReplyToMailAddress(m.replyTo)
	}
	if err := out.To(msg.To); err != nil {
		return envelope{}, errors.New("the recipient is not accepted")
	}
	out.Subject(written.Subject)
	out.SetDateWithValue(m.clock.Now())
	out.SetMessageIDWithValue(msg.ID + "@" + m.domain)
	// Suppress automatic replies: Auto-Submitted by RFC 3834 5, the other
	// header for Exchange.
	out.SetGenHeader("Auto-Submitted", "auto-generated")
	out.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	out.SetBodyString(gomail.TypeTextPlain, written.Text)
	out.AddAlternativeString(gomail.TypeTextHTML, written.HTML)
	if err := errors.Join(carry(out, "logo", m.look.Logo), carry(out, "logo-dark", m.look.LogoDark)); err != nil {
		return envelope{}, err
	}
	var content bytes.Buffer
	if _, err := out.WriteTo(&content); err != nil {
		return envelope{}, err
	}
	return envelope{from: m.from.Address, to: msg.To, content: content.Bytes()}, nil
}

// carry adds a picture, if there is one, to an email, so that mail readers show it without
// a request to a server.
func carry(out *gomail.Msg, id string, picture *brand.File) error {
	if picture == nil {
		return nil
	}
	return out.EmbedReader(id+".png", bytes.NewReader(picture.Data),
		gomail.WithFileContentID("<"+id+"@portico>"), gomail.WithFileContentType(gomail.ContentType(picture.Type)))
}
