package cli

import (
	"encoding/hex"
	"fmt"

	"portico/internal/secret"
)

type clientSecretCmd struct{}

func (clientSecretCmd) Help() string {
	return `Example:
  portico client new-secret

Nothing is written. To change a secret without interruption, write the hash as secret_next_hash of the client, run 'portico reload', and enter the secret in the app. Then make it secret_hash.`
}

func (clientSecretCmd) Run(s *session) error {
	text := secret.Token()
	return s.print(false, nil, "secret  "+text, "hash    "+hex.EncodeToString(secret.Hash(text)))
}

type clientRotateCmd struct {
	ID string `arg:"" help:"The id of the client."`
}

func (clientRotateCmd) Help() string {
	return `Example:
  portico client rotate-secret wiki

Nothing is written. Both secrets work until you remove the former one. The secret is printed once.`
}

func (c clientRotateCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	client, known := clientOf(cfg, c.ID)
	switch proof := proofOf(client); {
	case !known:
		return fmt.Errorf("%w: there is no client %s in the settings", errAbsent, c.ID)
	case proof == "two secrets":
		return fmt.Errorf("%w: the client %s has two secrets: first replace secret by the next one, and remove secret_next", errUsage, c.ID)
	case proof != "secret":
		return fmt.Errorf("%w: the client %s has no secret: its proof is %s", errUsage, c.ID, proof)
	}
	text := secret.Token()
	hash := hex.EncodeToString(secret.Hash(text))
	return s.print(false, nil,
		"secret  "+text,
		"1. In the block of "+c.ID+", add this line, and run 'portico reload': secret_next_hash = \""+hash+"\"",
		"2. Enter the secret in the app.",
		"3. Replace the former secret and the line of step 1 by this line, and run 'portico reload': secret_hash = \""+hash+"\"",
	)
}
