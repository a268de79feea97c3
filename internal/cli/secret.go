package cli

import (
	"fmt"

	"portico/internal/app"
	"portico/internal/secret"
)

type secretCmd struct {
	New    secretNewCmd    `cmd:"" help:"Create the file of the next master key."`
	Rotate secretRotateCmd `cmd:"" help:"Change to the next master key, while the server runs."`
}

type secretNewCmd struct{}

func (secretNewCmd) Help() string {
	return "Example:\n  portico secret new\n\nCreates the file that secret_next_file names, and never replaces one. Copy it to every node, then run 'portico reload' on each."
}

// Run creates the key file. It never replaces an existing one.
func (secretNewCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if cfg.SecretNext == "" {
		return fmt.Errorf("%w: secret_next_file is not set: write the path of the new file, next to secret_file", errUsage)
	}
	if _, err := secret.CreateKey(cfg.SecretNext); err != nil {
		return err
	}
	return s.print(false, nil, cfg.SecretNext)
}

type secretRotateCmd struct {
	Back bool `help:"Return to the former key."`
	JSON bool `name:"json" help:"Print as JSON."`
}

func (secretRotateCmd) Help() string {
	return `Example:
  portico secret rotate

Changes from the master key in secret_file to the one in secret_next_file. Every node needs both first: see docs/operating/master-key.md. The command reseals the content of the database in small batches while the nodes serve. No user is signed out. If it is interrupted, run it again. Keep both files until 'portico doctor' says that the former key can go.`
}

func (c secretRotateCmd) Run(s *session) error {
	outliveReaders()
	err := s.withApp(func(a *app.App) error {
		last := ""
		r, err := a.ChangeKey(s, c.Back, func(step string) {
			if step != last {
				complain(s.Stderr, "portico:", step)
			}
			last = step
		})
		if err != nil {
			return err
		}
		return s.print(c.JSON, r, changeLines(r)...)
	})
	return s.stopped(err, "run it again, and keep both keys until it ends")
}

func changeLines(r app.KeyChange) []string {
	lines := []string{"current key\t" + r.Current, "former key\t" + r.Former, fmt.Sprintf("rows sealed again\t%d", r.Rewritten)}
	for _, what := range r.Unopened {
		lines = append(lines, "rows that no key opens\t"+what)
	}
	for _, need := range r.Needs {
		lines = append(lines, "needs the former key\t"+need)
	}
	if len(r.Needs) == 0 {
		lines = append(lines, "next\tthe former key is no longer needed: write the path of the new file in secret_file, remove secret_next_file, and reload every node")
	}
	return lines
}
