package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// freePort puts a free port into a variable: freeport PORT. Linux gives it to no outgoing
// connection, which could take it before the program listens.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	for range 100 {
		port := strconv.Itoa(20000 + rand.IntN(12000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			ts.Setenv(args[0], port)
			return
		}
	}
	ts.Fatalf("no port is free")
}

// ready waits until a URL answers 200: ready http://127.0.0.1:9080/readyz
func ready(ts *testscript.TestScript, _ bool, args []string) {
	for range 1200 {
		if r, err := http.Get(args[0]); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s does not answer", args[0])
}

// visit opens a URL, whatever its answer.
func visit(ts *testscript.TestScript, _ bool, args []string) {
	r, err := http.Get(args[0])
	ts.Check(err)
	_ = r.Body.Close()
}

// choose opens the link that a command printed, chooses a password and expects to
// be signed in: choose LINK PASSWORD
func choose(ts *testscript.TestScript, _ bool, args []string) {
	link, err := url.Parse(args[0])
	ts.Check(err)
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	browser := http.Client{Jar: jar}
	site := link.Scheme + "://" + link.Host
	send := func(method, operation string, form map[string]string) string {
		body, err := json.Marshal(form)
		ts.Check(err)
		r, err := http.NewRequest(method, site+"/auth/api/"+operation, bytes.NewReader(body))
		ts.Check(err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", site)
		answer, err := browser.Do(r)
		ts.Check(err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		ts.Check(err)
		if answer.StatusCode != http.StatusOK {
			ts.Fatalf("%s: %d %s", operation, answer.StatusCode, text)
		}
		return string(text)
	}
	opened, err := browser.Get(args[0]) // puts the token into a cookie
	ts.Check(err)
	_ = opened.Body.Close()
	var step struct{ Next string }
	ts.Check(json.Unmarshal([]byte(send("POST", "confirm-link", map[string]string{})), &step))
	next, err := url.Parse(step.Next)
	ts.Check(err)
	send("POST", "reset-password", map[string]string{"flow": next.Query().Get("flow"), "password": args[1], "confirm_password": args[1]})
	if found := send("GET", "session", nil); !strings.Contains(found, `"mara@example.org"`) || !strings.Contains(found, `"admin"`) {
		ts.Fatalf("signed in as %s", found)
	}
}
