package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"portico/internal/server/ops"
)

// readyLimit is longer than the server's own limit for the check of its database.
const readyLimit = 4 * time.Second

type readyCmd struct{}

func (readyCmd) Help() string {
	return `Example:
  portico ready

Requests /readyz from the 'portico serve' of this machine or container, at ops_listen: a health check for an image without a shell. The exit code is 0 if the server is ready, 1 if it is not, with the reason on standard error, and 2 if the settings cannot be read. It needs no key file.`
}

func (readyCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil && !cfg.Known("ops_listen") {
		return err
	}
	status, body, err := askServer(s, cfg, readyLimit, http.MethodGet, ops.ReadyPath, "")
	if err != nil {
		return fmt.Errorf("%w: start 'portico serve', or correct ops_listen", err)
	}
	switch said := strings.TrimSpace(string(body)); {
	case said == ops.Ready:
		return s.print(false, nil, said)
	case ops.NotReady(said):
		return errors.New("not ready: " + said)
	default:
		return fmt.Errorf("not ready: another program answers %d at ops_listen, %s", status, cfg.OpsListen)
	}
}
