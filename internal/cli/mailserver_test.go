package cli_test

import (
	"io"
	"log"
	"net"
	"sync/atomic"

	"github.com/emersion/go-smtp"
	"github.com/rogpeppe/go-internal/testscript"
)

// mailServer is an SMTP server that accepts or refuses emails.
type mailServer struct {
	addr   string
	refuse atomic.Int32  // the code of the refusal, 0 for none
	asked  chan struct{} // one token for each email, accepted or refused
}

func newMailServer(env *testscript.Env) *mailServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		env.T().Fatal(err)
	}
	m := &mailServer{addr: l.Addr().String(), asked: make(chan struct{}, 100)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return delivery{m}, nil }))
	server.Domain = "mx.test"
	server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = server.Serve(l) }()
	env.Defer(func() { _ = server.Close() })
	return m
}

type delivery struct{ *mailServer }

func (delivery) Mail(string, *smtp.MailOptions) error { return nil }

func (d delivery) Rcpt(string, *smtp.RcptOptions) error {
	code := d.refuse.Load()
	if code == 0 {
		return nil
	}
	d.asked <- struct{}{}
	if code < 500 {
		return &smtp.SMTPError{Code: int(code), EnhancedCode: smtp.EnhancedCode{4, 2, 0}, Message: "greylisted, come back later"}
	}
	return &smtp.SMTPError{Code: int(code), EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
}

func (d delivery) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	d.asked <- struct{}{}
	return err
}

func (delivery) Reset()        {}
func (delivery) Logout() error { return nil }
