package mailbox

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const htmlMail = "Subject: <b>123456</b> \"is\" your code\nContent-Type: text/html; charset=utf-8\n\n" +
	"<html><head lang=en><title>x</title></head><body><a href=\"http://x.test/\">go</a><script>top.evil()</script></body></html>\n"

func serve(t *testing.T, m *Mailbox) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(m.Handler("/dev/mailbox"))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, s *httptest.Server, path string) (*http.Response, string) {
	t.Helper()
	client := *s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestHandler_Pages(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	s := serve(t, m)
	if _, body := get(t, s, "/dev/mailbox/"); !strings.Contains(body, "No email yet") {
		t.Errorf("the empty page: %s", body)
	}
	if err := send(t, m, "ada@x.test", htmlMail); err != nil {
		t.Fatal(err)
	}
	mustSend(t, m, "bob@x.test", "plain")
	tests := []struct {
		path   string
		status int
		kind   string
		has    []string
	}{
		{"/dev/mailbox/", 200, "text/html", []string{"&lt;b&gt;123456&lt;/b&gt;", "ada@x.test", "bob@x.test", "<pre tabindex=\"0\">Hello"}},
		{"/dev/mailbox/?message=1", 200, "text/html", []string{`class="chosen"`, `src="/dev/mailbox/messages/1"`, `sandbox="allow-popups allow-top-navigation-by-user-activation"`}},
		{"/dev/mailbox/?message=1&as=source", 200, "text/html", []string{"Content-Type: text/html", "&lt;script&gt;top.evil()"}},
		{"/dev/mailbox/?message=2&as=text", 200, "text/html", []string{">Hello"}},
		{"/dev/mailbox/?message=9", 303, "text/html", nil},
		{"/dev/mailbox/messages/1", 200, "text/html", []string{`<head lang=en><base target="_top"><title>`}},
		{"/dev/mailbox/messages/2", 200, "text/html", []string{`<base target="_top">`}},
		{"/dev/mailbox/messages/9", 404, "text/plain", nil},
		{"/dev/mailbox/messages/x", 404, "text/plain", nil},
		{"/dev/mailbox/page.css", 200, "text/css", nil},
		{"/dev/mailbox/page.js", 200, "text/javascript", nil},
		{"/dev/mailbox/messages.json", 200, "application/json", []string{`"bob@x.test"`}},
		{"/dev/mailbox", 307, "text/html", nil},
		{"/dev/mailbox/doc.go", 404, "text/plain", nil},
	}
	for _, tt := range tests {
		res, body := get(t, s, tt.path)
		if res.StatusCode != tt.status || !strings.HasPrefix(res.Header.Get("Content-Type"), tt.kind) {
			t.Errorf("%s: %d %s", tt.path, res.StatusCode, res.Header.Get("Content-Type"))
		}
		for _, has := range tt.has {
			if !strings.Contains(body, has) {
				t.Errorf("%s lacks %s:\n%s", tt.path, has, body)
			}
		}
		policy := res.Header.Get("Content-Security-Policy")
		isMail := strings.HasPrefix(tt.path, "/dev/mailbox/messages/") && tt.status == 200
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe-inline") != isMail || strings.HasPrefix(policy, "sandbox ") != isMail {
			t.Errorf("%s: policy %s", tt.path, policy)
		}
		if !isMail && (strings.Contains(body, "<script>") || strings.Contains(body, " style=")) {
			t.Errorf("%s: the page holds a script or style of its own, or the email's", tt.path)
		}
	}
}

func TestHandler_List(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	s := serve(t, m)
	if _, body := get(t, s, "/dev/mailbox/messages.json"); strings.TrimSpace(body) != "[]" {
		t.Errorf("an empty list is %s", body)
	}
	mustSend(t, m, "a@x.test", "one")
	mustSend(t, m, "b@x.test", "two")
	mustSend(t, m, "a@x.test", "three")
	for path, want := range map[string]string{"": "three two one", "?to=a@x.test": "three one", "?to=c@x.test": ""} {
		_, body := get(t, s, "/dev/mailbox/messages.json"+path)
		var list []Message
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		var subjects []string
		for _, msg := range list {
			subjects = append(subjects, msg.Subject)
		}
		if got := strings.Join(subjects, " "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Each view has something to show, and a code can be copied from the list and from the email.
func TestHandler_Views(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	s := serve(t, m)
	body := "Subject: Hi\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nEnter this code:\n\n    123456\n\nCall 112\n--b\nContent-Type: text/html\n\n<b>123456</b>\n--b--\n"
	if err := send(t, m, "ada@x.test", body); err != nil {
		t.Fatal(err)
	}
	mustSend(t, m, "bob@x.test", "plain")
	for path, want := range map[string]struct {
		has  []string
		code int
	}{
		"?message=1":            {[]string{`<a href="/dev/mailbox/messages/1" target="_blank">`, `as=html" aria-current="true">HTML<`, `aria-label="Copy code 123456"`}, 2},
		"?message=1&as=headers": {[]string{`as=headers" aria-current="true">Headers<`, "Subject: Hi\nContent-Type: multipart/alternative; boundary=b</pre>"}, 2},
		"?message=2&as=html":    {[]string{`as=text" aria-current="true">Text<`}, 1},
	} {
		_, page := get(t, s, "/dev/mailbox/"+path)
		for _, has := range want.has {
			if !strings.Contains(page, has) {
				t.Errorf("%s lacks %s:\n%s", path, has, page)
			}
		}
		if n := strings.Count(page, `data-copy="123456"`); n != want.code {
			t.Errorf("%s: the code can be copied in %d places, want %d", path, n, want.code)
		}
	}
}

func TestHandler_Clear(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	s := serve(t, m)
	mustSend(t, m, "a@x.test", "one")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/dev/mailbox/clear", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(req) // follows the redirect
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || !strings.Contains(string(page), "No email yet") || len(m.Messages()) != 0 {
		t.Errorf("%v, %d messages: %s", err, len(m.Messages()), page)
	}
	if policy := res.Header.Get("Referrer-Policy"); policy != "" {
		t.Errorf("the page has the policy %s and not that of the kit, with which its form has an Origin", policy)
	}
	mustSend(t, m, "a@x.test", "two")
	if got := m.Messages(); len(got) != 1 || got[0].Number != 2 {
		t.Errorf("after it: %+v", got)
	}
}

func TestHandler_ChangesNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, start(t, Config{}))
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/dev/mailbox/", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, res.StatusCode)
		}
	}
}

// stream reads the ids of events.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

func follow(t *testing.T, s *httptest.Server, query, lastID string) stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/dev/mailbox/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("content type %s", kind)
	}
	return stream{t, bufio.NewScanner(res.Body)}
}

func (s stream) next() string {
	s.t.Helper()
	for s.lines.Scan() {
		if id, ok := strings.CutPrefix(s.lines.Text(), "id: "); ok {
			return id
		}
	}
	return "end"
}

func TestHandler_Events(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	s := serve(t, m)
	mustSend(t, m, "a@x.test", "one")
	live := follow(t, s, "?after=1", "")
	mustSend(t, m, "a@x.test", "two")
	if id := live.next(); id != "2" {
		t.Errorf("event %s", id)
	}
	if id := follow(t, s, "?after=2", "1").next(); id != "2" {
		t.Errorf("after a reconnect: event %s", id)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if id := live.next(); id != "end" {
		t.Errorf("after the end: event %s", id)
	}
}

// A test waits for the next email to an address, and two that wait at once take none from each other.
func TestNext(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	s := httptest.NewServer(http.HandlerFunc(m.Next))
	t.Cleanup(s.Close)
	var waiting sync.WaitGroup
	for _, to := range []string{"a@x.test", "b@x.test"} {
		waiting.Go(func() {
			res, body := get(t, s, "/?wait=60&to="+strings.ToUpper(to))
			var got struct {
				Number            int
				To, Links         []string
				Subject, Code, At string
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != 200 || got.To[0] != to || got.Subject != "first" || got.Code != "123456" ||
				strings.Join(got.Links, " ") != "http://localhost/x?token=y https://b.test/" {
				t.Errorf("%s: %d %s (%v)", to, res.StatusCode, body, err)
			}
			if res, body := get(t, s, "/?wait=60&to="+to+"&after="+strconv.Itoa(got.Number)); res.StatusCode != 200 || !strings.Contains(body, `"second"`) {
				t.Errorf("the second one to %s: %d %s", to, res.StatusCode, body)
			}
		})
	}
	for _, subject := range []string{"first", "second"} {
		for _, to := range []string{"c@x.test", "b@x.test", "a@x.test"} {
			if err := send(t, m, to, "Subject: "+subject+"\n\nSee <http://localhost/x?token=y> or https://b.test/\n\n123456\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	waiting.Wait()
	last := strconv.Itoa(m.Last())
	for query, want := range map[string]string{
		"to=d@x.test&wait=0":               "404 what came, newest first: \\\"second\\\" to a@x.test; \\\"second\\\" to b@x.test",
		"to=a@x.test&wait=0&after=" + last: "404 nothing else came either; rate limits hold",
		"wait=0":                           "400 to= names", "to=a@x.test&wait=61": "400 wait= up to 60", "to=a@x.test&after=x": "400 after= the number",
	} {
		res, body := get(t, s, "/?"+query)
		status, text, _ := strings.Cut(want, " ")
		if strconv.Itoa(res.StatusCode) != status || !strings.Contains(body, text) {
			t.Errorf("%s: %d %s, want %s", query, res.StatusCode, body, want)
		}
	}
}
