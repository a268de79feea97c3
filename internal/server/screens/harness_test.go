package screens_test

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/factor"
	"portico/internal/server/screens"
)

// visitor is a browser that reads the boot data of documents.
type visitor struct{ *apptest.Browser }

func visit(s *apptest.Site) visitor { return visitor{s.Browser()} }

// opens requests a document and returns its data.
func (v visitor) opens(target string) screens.Boot {
	v.Helper()
	return v.reads(v.Open(target))
}

func (v visitor) reads(p apptest.Page) (b screens.Boot) {
	v.Helper()
	v.Boot(p, &b)
	if b.Status != p.StatusCode {
		v.Errorf("the document says %d, the answer %d", b.Status, p.StatusCode)
	}
	return b
}

// navigates sends requests as a browser that comes from a page of ours.
func (v visitor) navigates() {
	for name, value := range map[string]string{"Mode": "navigate", "Dest": "document", "Site": "same-origin"} {
		v.Header.Set("Sec-Fetch-"+name, value)
	}
}

// leads expects a redirect.
func (v visitor) leads(p apptest.Page, to string) {
	v.Helper()
	if p.StatusCode != 303 || p.Next() != to {
		v.Errorf("answered %d to %q, want 303 to %q", p.StatusCode, p.Next(), to)
	}
}

func person(t *testing.T) (*apptest.Site, visitor) {
	t.Helper()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	v := visit(s)
	v.SignIn("mara@example.org")
	return s, v
}

// enrols adds an authenticator app to the account of the visitor.
func (v visitor) enrols() factor.Secret {
	v.Helper()
	account := v.opens("/auth/account/factors").Session.ID
	b := v.opens(v.Send("/auth/account/factors/add", url.Values{"account": {account}}).Next())
	secret, err := base32.StdEncoding.DecodeString(strings.ReplaceAll(b.Factors.Secret, " ", ""))
	if err != nil {
		v.Fatal(err)
	}
	v.Send("/auth/account/factors", url.Values{"flow": {b.Flow.ID}, "code": {factor.Secret(secret).At(v.Clock.Now())}})
	return secret
}
