package image

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

const password = "copper lantern over seven hills"

// mailbox is a mail server that keeps the codes in what it receives.
type mailbox struct {
	address string
	codes   chan string
}

func receive(t *testing.T) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailbox{address: l.Addr().String(), codes: make(chan string, 10)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return m, nil }))
	server.Domain = "mx.test"
	server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return m
}

func (*mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (*mailbox) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (*mailbox) Reset()                               {}
func (*mailbox) Logout() error                        { return nil }

// Data keeps the code: the first six digits at the beginning of a subject or a line.
func (m *mailbox) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if found := regexp.MustCompile(`(?m)^(?:Subject: )?(\d{6})\b`).FindSubmatch(text); found != nil {
		m.codes <- string(found[1])
	}
	return err
}

// visitor is a browser without a window.
type visitor struct {
	*testing.T
	origin string
}

func (v visitor) registers(email string, mail *mailbox) {
	v.Helper()
	jar := map[string]string{}
	next := v.post(jar, "signup", map[string]string{"email": email, "password": password, "confirm_password": password})
	to, err := url.Parse(next)
	if err != nil {
		v.Fatal(err)
	}
	select {
	case code := <-mail.codes:
		v.post(jar, "verify-code", map[string]string{"flow": to.Query().Get("flow"), "code": code})
	case <-time.After(time.Minute):
		v.Fatal("no email with a code")
	}
}

func (v visitor) signsIn(email string) {
	v.Helper()
	v.post(map[string]string{}, "signin", map[string]string{"email": email, "password": password})
}

// post sends a form and returns where it leads.
func (v visitor) post(jar map[string]string, operation string, form map[string]string) string {
	v.Helper()
	body, _ := json.Marshal(form)
	r, err := http.NewRequestWithContext(v.Context(), http.MethodPost, v.origin+"/auth/api/"+operation, bytes.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", v.origin)
	for name, value := range jar {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		v.Fatalf("%s: %d %s", operation, answer.StatusCode, text)
	}
	for _, c := range answer.Cookies() {
		jar[c.Name] = c.Value
	}
	var went struct{ Next string }
	_ = json.Unmarshal(text, &went)
	return went.Next
}
