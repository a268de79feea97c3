package screens_test

import (
	"testing"

	"portico/internal/apptest"
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
