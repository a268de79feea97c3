package screens_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"portico/internal/apptest"
)

// give sends the form for a picture with a body, and returns the answer.
func give(v visitor, body io.Reader, length int64) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(v.Context(), "POST", v.Origin+"/auth/account/profile/picture", body)
	r.RequestURI, r.ContentLength = "/auth/account/profile/picture", length
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Origin", v.Origin)
	if token := v.Cookie("session"); token != "" {
		r.AddCookie(&http.Cookie{Name: "portico-session", Value: token})
	}
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	return w
}

// A browser shows no answer before it has sent all.
func TestPicture_IsReadWithoutASession(t *testing.T) {
	t.Parallel()
	v := visit(apptest.Start(t))
	v.Open("/auth/signin") // the site serves now
	body := strings.NewReader(strings.Repeat("x", 1<<20))
	if w := give(v, body, body.Size()); w.Code != 303 || body.Len() > 0 {
		t.Errorf("answered %d while %d bytes were not read", w.Code, body.Len())
	}
}

func TestPicture_ThatComesTooSlowly(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	body := io.MultiReader(strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"picture\"\r\n\r\nabc"), iotest.ErrReader(os.ErrDeadlineExceeded))
	if w := give(v, body, 1<<20); w.Code != 408 || w.Header().Get("Connection") != "close" {
		t.Errorf("answered %d, %v", w.Code, w.Header())
	}
}
