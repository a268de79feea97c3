package dev

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"

	"portico/internal/app"
	"portico/internal/dev/idp"
	"portico/internal/dev/mailbox"
	"portico/internal/server"
)

// testingPath is the prefix of what the tests of an app call. Paths below /auth/ never reach the app,
// and portico serve answers 404 to them.
const testingPath = "/auth/api/dev"

// tester lets the tests of an app sign in, read emails and move the time. It gives everything to everybody: the
// Mux refuses writes of pages of other origins, and a body must be JSON, which no form of another site can send.
type tester struct {
	app      *app.App // set before it serves
	public   *url.URL
	box      *mailbox.Mailbox // nil if the settings have a mail server
	provider *idp.Provider    // nil if the settings have providers
	time     *moved
}

// Mount registers the routes.
func (t *tester) Mount(m *server.Mux) {
	m.Handle("POST "+testingPath+"/session", answered(t.session))
	m.Handle("GET "+testingPath+"/mail", t.mail, server.Streaming, server.Quiet) // it waits
	m.Handle("GET "+testingPath+"/clock", answered(t.clock))
	m.Handle("POST "+testingPath+"/clock", answered(t.forward))
	m.Handle("POST "+testingPath+"/provider", answered(t.plan))
}

// refusal says what is wrong with a request of a test, and what to do.
type refusal struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
}

func (r refusal) Error() string { return r.Title }

func wrong(title string) error { return refusal{http.StatusBadRequest, title} }

// answered writes what a handler returns as JSON.
func answered(handle func(w http.ResponseWriter, r *http.Request) (any, error)) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := handle(w, r)
		if no, ok := errors.AsType[refusal](err); ok {
			return server.WriteJSON(w, no.Status, no)
		}
		if err != nil {
			return err
		}
		return server.WriteJSON(w, http.StatusOK, v)
	}
}

// read decodes the body of a request.
func read(r *http.Request, in any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refusal{http.StatusUnsupportedMediaType, "send JSON, with the header Content-Type: application/json"}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return wrong("the body is not the JSON that is expected here: " + err.Error())
	}
	return nil
}

func (t *tester) mail(w http.ResponseWriter, r *http.Request) error {
	if t.box == nil {
		return server.WriteJSON(w, http.StatusNotFound, refusal{http.StatusNotFound, "there is no mailbox, because smtp_url is set: leave it out"})
	}
	err := server.Unhurried(w)
	if err == nil {
		t.box.Next(w, r)
	}
	return err
}

// plan decides what the stand-in provider answers at the next sign-in of the browser, which keeps the cookie:
// browsers send cookies to all ports of a host.
func (t *tester) plan(w http.ResponseWriter, r *http.Request) (any, error) {
	var in idp.Plan
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if t.provider == nil {
		return nil, refusal{http.StatusNotFound, "there is no stand-in provider, because the settings have providers: leave them out"}
	}
	cookie, err := t.provider.KeepPlan(in, t.public.Hostname())
	if err != nil {
		return nil, wrong(err.Error())
	}
	http.SetCookie(w, cookie)
	return struct{}{}, nil
}
