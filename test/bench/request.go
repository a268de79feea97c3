package main

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// The request headers of a browser.
const (
	languages = "en-GB,en;q=0.9,de;q=0.7"
	agent     = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
)

// get returns a request for a document or an API response.
func get(path, cookie string) []byte {
	if cookie != "" {
		cookie = "Cookie: " + cookie + "\r\n"
	}
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nAccept-Language: %s\r\n%s\r\n",
		path, publicHost, agent, languages, cookie)
}

// check returns a check of session n.
func check(n int) []byte { return get("/auth/api/session", sessionCookie+"="+token(n)) }

// clients names a new client for every request that counts against a limit.
type clients struct{ last atomic.Uint32 }

// post returns a form of the API, sent by a new client. The cookie may be
// empty.
func (c *clients) post(operation, cookie string, form map[string]string) []byte {
	body, _ := json.Marshal(form) // strings always marshal
	if cookie != "" {
		cookie = "Cookie: " + cookie + "\r\n"
	}
	n := c.last.Add(1)
	return fmt.Appendf(nil, "POST /auth/api/%s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nUser-Agent: %s\r\nAccept-Language: %s\r\nX-Forwarded-For: 10.%d.%d.%d\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		operation, publicHost, publicURL, agent, languages, n>>16&0xff, n>>8&0xff, n&0xff, cookie, len(body), body)
}

// signIn returns the sign-in of user n. Without the cookie of a known browser
// it is a new browser.
func (c *clients) signIn(n int, cookie string) []byte {
	return c.post("signin", cookie, map[string]string{"email": address(n), "password": goodPassword})
}
