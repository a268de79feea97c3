package mailbox

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed page.html page.css page.js
var files embed.FS

const (
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

	// mailPolicy isolates a message: its own origin, no script, nothing from
	// other sites. Emails have inline styles.
	mailPolicy = "sandbox allow-popups allow-top-navigation-by-user-activation; default-src 'none'; " +
		"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

	beat       = 15 * time.Second // interval of keep-alive comments in an event stream
	writeLimit = 10 * time.Second
)

type handler struct {
	mailbox *Mailbox
	prefix  string // begins and ends with a slash
	page    *template.Template
}

// Handler serves the mailbox under a path such as "/dev/mailbox". It serves the
// page, its assets, and messages.json, which lists the messages, newest first;
// ?to= selects a recipient. POST clear drops all messages, and nothing else changes any.
// The caller must refuse POST requests of other sites.
func (m *Mailbox) Handler(prefix string) http.Handler {
	h := &handler{
		mailbox: m,
		prefix:  "/" + strings.Trim(prefix, "/") + "/",
		page:    template.Must(template.ParseFS(files, "page.html")), // embedded, so a test would fail
	}
	if h.prefix == "//" {
		h.prefix = "/"
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+h.prefix+"{$}", h.show)
	mux.HandleFunc("GET "+h.prefix+"messages.json", h.list)
	mux.HandleFunc("GET "+h.prefix+"events", h.events)
	mux.HandleFunc("GET "+h.prefix+"messages/{number}", h.mail)
	mux.HandleFunc("POST "+h.prefix+"clear", h.clear)
	for _, name := range []string{"page.css", "page.js"} {
		mux.HandleFunc("GET "+h.prefix+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, files, name)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", pagePolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// view is the data of the page.
type view struct {
	Prefix   string
	Messages []Message
	Newest   int      // number of the newest message; 0 if there is none
	Shown    *Message // nil if there is none
	Chosen   bool     // whether the request named the shown message; otherwise it is the newest
	As       string   // one of views
	Views    []string // those that the shown message has
}

// views are the ways to show a message.
var views = []string{"html", "text", "headers", "source"}

// has reports whether there is something to show.
func (m Message) has(view string) bool {
	return view != "html" && view != "text" || view == "html" && m.HTML != "" || view == "text" && m.Text != ""
}

func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	v := view{Prefix: h.prefix, Messages: h.mailbox.Messages(), As: r.URL.Query().Get("as")}
	if len(v.Messages) > 0 {
		v.Newest, v.Shown = v.Messages[0].Number, &v.Messages[0]
	}
	if number := r.URL.Query().Get("message"); number != "" {
		msg, ok := h.mailbox.find(number)
		if !ok {
			http.Redirect(w, r, h.prefix, http.StatusSeeOther) // the message was dropped
			return
		}
		v.Shown, v.Chosen = &msg, true
	}
	if v.Shown != nil {
		v.Views = slices.DeleteFunc(slices.Clone(views), func(view string) bool { return !v.Shown.has(view) })
		if !slices.Contains(v.Views, v.As) {
			v.As = v.Views[0]
		}
	}
	var body bytes.Buffer
	if err := h.page.Execute(&body, v); err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = body.WriteTo(w)
}

func (h *handler) clear(w http.ResponseWriter, r *http.Request) {
	h.mailbox.clear()
	http.Redirect(w, r, h.prefix, http.StatusSeeOther)
}

func (h *handler) list(w http.ResponseWriter, r *http.Request) {
	messages := h.mailbox.Messages()
	if to := r.URL.Query().Get("to"); to != "" {
		messages = slices.DeleteFunc(messages, func(m Message) bool { return !slices.Contains(m.To, to) })
	}
	if messages == nil {
		messages = []Message{} // encoded as a list, not as null
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(messages) // fails only if the client has gone
}

var headTag = regexp.MustCompile(`(?i)<head(?:\s[^>]*)?>`)

// mail serves the HTML of one message for the frame of the page. Its links open
// in the top window, as in a mail reader.
func (h *handler) mail(w http.ResponseWriter, r *http.Request) {
	msg, ok := h.mailbox.find(r.PathValue("number"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	const base = `<base target="_top">`
	html := msg.HTML
	for id, data := range msg.pictures {
		html = strings.ReplaceAll(html, `"cid:`+id+`"`, `"`+data+`"`)
	}
	if at := headTag.FindStringIndex(html); at != nil {
		html = html[:at[1]] + base + html[at[1]:]
	} else {
		html = base + html
	}
	w.Header().Set("Content-Security-Policy", mailPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(html))
}

// events sends the number of each new message as a server-sent event.
func (h *handler) events(w http.ResponseWriter, r *http.Request) {
	after := r.Header.Get("Last-Event-ID") // sent by a browser that reconnects
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	last, _ := strconv.Atoi(after) // 0 sends every message
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(format string, args ...any) bool {
		answer := http.NewResponseController(w)
		_ = answer.SetWriteDeadline(time.Now().Add(writeLimit)) // some writers have no deadline
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && answer.Flush() == nil
	}
	alive := time.NewTicker(beat)
	defer alive.Stop()
	for ok := send(": here\n\n"); ok; {
		messages, arrived := h.mailbox.since(last)
		for _, msg := range messages {
			last = msg.Number
		}
		if len(messages) > 0 && !send("id: %d\ndata: %d\n\n", last, last) {
			return
		}
		select {
		case <-arrived:
		case <-alive.C:
			ok = send(": still here\n\n")
		case <-h.mailbox.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}
