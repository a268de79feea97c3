package clienttest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"testing"
	"time"
)

// Trial is a running `portico dev` at an address, such as "http://localhost:8080", with the app behind it.
type Trial string

// Wanted is who signs in, and how. A person who exists gets what is set here, and keeps the rest.
type Wanted struct {
	Email    string         `json:"email,omitempty"` // "" for a new person with an address that no other test has
	Name     string         `json:"name,omitempty"`
	Password string         `json:"password,omitempty"` // of a new person; "" for none
	Roles    []string       `json:"roles,omitzero"`
	Claims   map[string]any `json:"claims,omitzero"`   // what extra_claims takes from
	Methods  []string       `json:"methods,omitempty"` // the proofs; a password if empty
	ACR      string         `json:"acr,omitempty"`     // "2" if a second factor was given
	Age      string         `json:"age,omitempty"`     // of the proof: "30m", "8h", "2d"
}

// SignedIn is a person who has signed in.
type SignedIn struct {
	ID              string    `json:"id"`
	Email           string    `json:"email"`
	Name            string    `json:"name"`
	Roles           []string  `json:"roles"`
	Methods         []string  `json:"methods"`
	ACR             string    `json:"acr"`
	AuthenticatedAt time.Time `json:"authenticated_at"`
	Mail            int       `json:"mail"` // number of the newest email before this sign-in
}

// Mail is an email in the mailbox.
type Mail struct {
	Number  int      `json:"number"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Text    string   `json:"text"`
	HTML    string   `json:"html"`
	Code    string   `json:"code"`  // to type, or ""
	Links   []string `json:"links"` // in the text
}

// SignIn returns a browser in which a person is signed in. It follows redirects, and keeps cookies.
func (p Trial) SignIn(t testing.TB, who Wanted) (*http.Client, SignedIn) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	var person SignedIn
	p.ask(t, browser, "session", who, &person)
	return browser, person
}

// NextMail waits up to ten seconds for the first email to an address after the one with a number.
func (p Trial) NextMail(t testing.TB, to string, after int) (m Mail) {
	t.Helper()
	p.ask(t, &http.Client{}, "mail?"+url.Values{"to": {to}, "after": {strconv.Itoa(after)}}.Encode(), nil, &m)
	return m
}

// MoveClock moves the time forward for all tests, by "20m" or "31d". It returns the time that it is then.
func (p Trial) MoveClock(t testing.TB, forward string) time.Time {
	t.Helper()
	var clock struct {
		Now time.Time `json:"now"`
	}
	p.ask(t, &http.Client{}, "clock", map[string]string{"forward": forward}, &clock)
	return clock.Now
}

// ask sends a request to what `portico dev` has for tests. A body makes it a write.
func (p Trial) ask(t testing.TB, browser *http.Client, path string, body, into any) {
	t.Helper()
	method, text := http.MethodGet, []byte(nil)
	var err error
	if body != nil {
		method = http.MethodPost
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, string(p)+"/auth/api/dev/"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin") // which no page of another origin can send
	answer, err := browser.Do(r)
	if err != nil {
		t.Fatalf("is portico dev running at %s? %v", p, err)
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(io.LimitReader(answer.Body, 8<<20))
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, into)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("portico dev answers %d to %s %s: %.500s (%v)", answer.StatusCode, method, path, text, err)
	}
}
