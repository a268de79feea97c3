package cli

import (
	"fmt"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/signingkey"
)

type keysCmd struct {
	List   keysListCmd   `cmd:"" help:"List the signing keys, oldest first."`
	Rotate keysRotateCmd `cmd:"" help:"Publish a new key and switch to it once apps can know it. Happens automatically every 30 days."`
	Revoke keysRevokeCmd `cmd:"" help:"Revoke a key. Apps refuse the tokens that it signed within five minutes."`
}

// signingKey is a key in the output.
type signingKey struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Algorithm string `json:"algorithm"`
	CreatedAt string `json:"created_at"`
	SignsAt   string `json:"signs_at"`
}

func signingKeyOf(k signingkey.Entry) signingKey {
	return signingKey{ID: k.ID, Algorithm: k.Algorithm, State: string(k.State), CreatedAt: k.CreatedAt.Format(timeForm), SignsAt: k.SignsAt.Format(timeForm)}
}

func (k signingKey) String() string {
	return fmt.Sprintf("%s\t%s\tsigns from %s\t%s", k.ID, k.State, k.SignsAt, k.Algorithm)
}

type keysListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (keysListCmd) Help() string { return "Example:\n  portico keys list" }

func (c keysListCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		keys, err := a.Operator.SigningKeys(s)
		if err != nil {
			return err
		}
		return list(s, c.JSON, keys, signingKeyOf)
	})
}

type keysRotateCmd struct {
	JSON bool `name:"json" help:"Print the key as JSON."`
}

func (keysRotateCmd) Help() string {
	return "Example:\n  portico keys rotate\n\nNothing breaks: the new key is published 15 minutes before it signs, and the old key stays published until its last token expires. If an OpenID client has another id_token_alg, that key is rotated too. If a key has leaked, use 'portico keys revoke'."
}

func (c keysRotateCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		key, err := a.Operator.RotateKey(s, flow.ByOperator)
		if err != nil {
			return err
		}
		k := signingKeyOf(key)
		return s.print(c.JSON, k, k.String())
	})
}

type keysRevokeCmd struct {
	ID   string `arg:"" help:"The ID from 'portico keys list'."`
	JSON bool   `name:"json" help:"Print as JSON."`
}

func (keysRevokeCmd) Help() string {
	return "Example:\n  portico keys revoke 7m3k...\n\nA running server switches to a new key within seconds. Apps may refuse tokens until they fetch the keys again."
}

func (c keysRevokeCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		if err := a.Operator.RevokeKey(s, flow.ByOperator, c.ID); err != nil {
			return err
		}
		return s.print(c.JSON, map[string]string{"revoked": c.ID}, "revoked\t"+c.ID)
	})
}
