package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"portico/internal/ids"
	"portico/internal/secret"
)

// registration registers new users, from the form to the account.
func registration(ctx context.Context, b *bench, e engine) ([]figure, error) {
	all, err := b.hashes(ctx, e, func(i *installation, server *process) []side {
		return []side{b.signers(server, i.listen, i.register)}
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		all.against(hashPlain, "rate, against x/crypto", 0, 0.9),
		all.cpu("server CPU, the hash of all", 0),
	}, nil
}

// register does one registration.
func (i *installation) register(c *conn) (bool, error) {
	address := fmt.Sprintf("r%d@bench.test", i.turn.Add(1))
	code, browser := i.mail.expect(address), browserCookie+"="+secret.Token()
	a, err := c.do(i.post("signup", browser, map[string]string{"email": address, "password": goodPassword, "confirm_password": goodPassword}))
	if err != nil {
		return false, err
	}
	if err := a.want(200); err != nil {
		return false, err
	}
	_, flow, ok := bytes.Cut(a.body, []byte("flow="))
	if !ok || len(flow) < ids.Length {
		return false, fmt.Errorf("no flow: %s", a.body)
	}
	form := map[string]string{"flow": string(flow[:ids.Length])}
	select {
	case form["code"] = <-code:
	case <-time.After(time.Minute):
		return false, errors.New("no code was mailed to " + address)
	}
	if a, err = c.do(i.post("verify-code", browser, form)); err != nil {
		return false, err
	}
	return true, a.want(200)
}
