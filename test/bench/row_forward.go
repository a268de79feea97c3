package main

import (
	"context"
	"strconv"
	"strings"
)

// forwardAuth checks requests of signed-in users for another proxy.
func forwardAuth(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return nil, err
	}
	i.settings = "[[app]]\nname = \"app\"\nrules = [\"signed-in /*\"]\n"
	defer func() { i.settings = "" }()
	questions := make([][]byte, i.sessions())
	for n := range questions {
		questions[n] = []byte(strings.Replace(string(get("/auth/api/check", sessionCookie+"="+token(n))), "\r\nUser-Agent",
			"\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: "+publicHost+
				"\r\nX-Forwarded-Uri: /page?x=1\r\nX-Forwarded-For: 192.0.2.7\r\nUser-Agent", 1))
	}
	return b.hot(ctx, i, questions, roleSession, strconv.Itoa(len(questions)))
}
