package mailbox

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"time"
)

// depthLimit is the number of nested multiparts that are parsed.
const depthLimit = 5

// Message is a received email.
type Message struct {
	Number  int       `json:"number"` // counts from 1 and identifies the message
	At      time.Time `json:"at"`
	From    string    `json:"from"` // From and To come from the envelope, which decides the delivery
	To      []string  `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"` // "" without such a part
	HTML    string    `json:"html"`
	Raw     string    `json:"-"`

	pictures map[string]string // data URLs by Content-ID
}

// code is a line with nothing but a code, as emails give it to be typed.
var code = regexp.MustCompile(`(?m)^[ \t]*([0-9]{4,10})[ \t]*$`)

// Code returns the code in the text of the message, or "" if there is none.
func (m Message) Code() string {
	if found := code.FindStringSubmatch(m.Text); found != nil {
		return found[1]
	}
	return ""
}

// Headers returns the message up to its first empty line.
func (m Message) Headers() string {
	head, _, _ := strings.Cut(strings.ReplaceAll(m.Raw, "\r\n", "\n"), "\n\n")
	return head
}

// parse returns the parts that a mail reader shows. It returns the readable parts of a
// malformed message, and always Raw.
func parse(raw []byte) Message {
	msg := Message{Raw: string(raw)}
	parsed, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return msg
	}
	msg.Subject = parsed.Header.Get("Subject")
	if decoded, err := new(mime.WordDecoder).DecodeHeader(msg.Subject); err == nil {
		msg.Subject = decoded
	}
	msg.readPart(parsed.Header.Get("Content-Type"), parsed.Header.Get("Content-Transfer-Encoding"), parsed.Body, 0)
	return msg
}

// readPart stores the first text part and the first HTML part.
func (m *Message) readPart(contentType, encoding string, body io.Reader, depth int) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain" // RFC 2045 5.2
	}
	if strings.HasPrefix(kind, "multipart/") && depth < depthLimit {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if err != nil {
				return
			}
			if id := strings.Trim(p.Header.Get("Content-ID"), "<>"); id != "" && p.Header.Get("Content-Transfer-Encoding") == "base64" {
				m.readPicture(id, p)
				continue
			}
			m.readPart(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p, depth+1)
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	content, _ := io.ReadAll(body) // show what was readable
	text := strings.ReplaceAll(strings.ToValidUTF8(string(content), "\ufffd"), "\r\n", "\n")
	switch {
	case kind == "text/plain" && m.Text == "":
		m.Text = text
	case kind == "text/html" && m.HTML == "":
		m.HTML = text
	}
}

// readPicture stores a PNG that the HTML shows by its Content-ID (RFC 2392).
func (m *Message) readPicture(id string, body io.Reader) {
	data, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, body))
	if err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		return
	}
	if m.pictures == nil {
		m.pictures = map[string]string{}
	}
	m.pictures[id] = "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}
