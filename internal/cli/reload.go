package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/server/ops"
)

// reloadLimit is the time limit for an answer. A reload fills every screen anew,
// which takes seconds on a slow machine.
const reloadLimit = 25 * time.Second

type reloadCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (reloadCmd) Help() string {
	return `Example:
  portico reload

Asks the 'portico serve' of this machine, at ops_listen, to read its settings again, and waits for the result. No session ends, and no request or WebSocket is interrupted. If there is a mistake, nothing changes and the mistake is printed with its line. Settings that need a restart are listed and keep their values. Environment variables are those of the server's start. Run it as root or as the user that runs the server: it proves itself with the secret file. 'systemctl reload portico' runs it. The signal SIGHUP does the same, with the result in the log.`
}

func (c reloadCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil && (!cfg.Known("ops_listen") || !cfg.Known("secret_file")) {
		return err // the server would find the same, and cannot be asked
	}
	var result ops.Reloaded
	if err := askProven(s, cfg, ops.ReloadPath, &result); err != nil {
		return err
	}
	if err := s.print(c.JSON, result, reloadLines(result)...); err != nil || len(result.Problems) == 0 {
		return err
	}
	return errors.New("nothing has changed")
}

func reloadLines(r ops.Reloaded) (lines []string) {
	for _, part := range []struct {
		word string
		list []string
	}{
		{"refused", r.Problems}, {"added", r.Added}, {"removed", r.Removed}, {"changed", r.Changed}, {"needs a restart", r.Restart}, {"warning", r.Warnings},
	} {
		for _, text := range part.list {
			lines = append(lines, part.word+"\t"+text)
		}
	}
	if len(lines) == 0 {
		lines = []string{"no setting has changed"}
	}
	return lines
}

// askProven asks the server of this machine at a path of its operations listener, with the proof of the
// master key, and reads its answer into result.
func askProven(ctx context.Context, cfg config.Config, path string, result any) error {
	key, err := secret.ReadKey(cfg.SecretFile)
	if err != nil {
		if errors.Is(err, secret.ErrNoKey) {
			err = fmt.Errorf("%w: run this with the settings of the server", err)
		}
		return err
	}
	proof := ops.Prove(key.MAC(ops.ReloadPurpose), time.Now())
	status, body, err := askServer(ctx, cfg, reloadLimit, http.MethodPost, path, proof)
	switch {
	case errors.Is(err, errNoPort):
		return fmt.Errorf("%w: write one, or send the server SIGHUP to reload", err)
	case err != nil:
		return fmt.Errorf("%w: if the server still uses another ops_listen, restart it", err)
	case status != http.StatusOK && status != http.StatusUnprocessableEntity:
		return fmt.Errorf("%s answers %d: %s", cfg.OpsListen, status, strings.TrimSpace(string(body)))
	}
	return json.Unmarshal(body, result)
}

// hangups returns a channel that receives SIGHUP, and how to end that. A
// reload that is asked for while another one runs follows it.
func hangups() (asked chan os.Signal, end func()) {
	asked = make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return asked, func() {
		signal.Stop(asked)
		close(asked)
	}
}
