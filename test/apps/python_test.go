package apps

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// The sample of docs/integrating/python.md serves one page to everybody. The others are closed at the app's own port, too.
func TestPython_PublicPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/integrating/python.md")
	if err != nil {
		t.Fatal(err)
	}
	s := &sampleApp{T: t, port: freePort(t), own: freePort(t)}
	if s.dir = t.TempDir(); s.shell("python3 -c 'import fastapi, uvicorn, jwt'").Run() != nil {
		t.Skip("FastAPI is missing: run tools/apps")
	}
	s.serve(section(page, "A public page next to others"))
	visitor, direct := newBrowser(), "http://127.0.0.1:"+s.own
	for path, refused := range map[string]int{"/orders": 401, "/admin": 401, "/": 200} {
		s.ask(visitor, direct+path, "text/html", refused)
		if path != "/" {
			s.get(visitor, path, "text/html", 303)
		}
	}
	buyer, email := s.signIn("{}")
	if text := s.get(buyer, "/orders", "text/html", 200); !strings.Contains(text, email) {
		t.Errorf("the page does not name %s: %s", email, text)
	}
	s.get(buyer, "/admin", "text/html", 403)
	boss, _ := s.signIn(`{"roles": ["admin"]}`)
	s.get(boss, "/admin", "text/html", 200)

	const link, form = `href="/auth/signin?return_to=/"`, `method="post" action="/auth/signout"`
	if text := s.get(buyer, "/", "text/html", 200); !strings.Contains(text, form) || strings.Contains(text, link) {
		t.Errorf("the buyer sees %s", text)
	}
	r, _ := http.NewRequest(http.MethodPost, "http://localhost:"+s.port+"/auth/signout", nil)
	r.Header.Set("Origin", "http://localhost:"+s.port)
	answer, err := buyer.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if text := s.get(buyer, "/", "text/html", 200); !strings.Contains(text, link) {
		t.Errorf("after the form, the buyer sees %s", text)
	}
}
