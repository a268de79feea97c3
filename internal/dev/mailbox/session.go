package mailbox

import (
	"io"

	"github.com/emersion/go-smtp"
)

// session is one SMTP connection.
type session struct {
	mailbox *Mailbox
	from    string
	to      []string
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from, s.to = from, nil
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	msg := parse(raw)
	msg.At, msg.From, msg.To = s.mailbox.clock.Now(), s.from, s.to
	s.mailbox.add(msg)
	return nil
}

func (s *session) Reset() { s.from, s.to = "", nil }

func (s *session) Logout() error { return nil }

// silence discards the server's log, which only reports clients that
// disconnected.
type silence struct{}

func (silence) Printf(string, ...any) {}
func (silence) Println(...any)        {}
