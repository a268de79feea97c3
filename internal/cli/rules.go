package cli

import (
	"fmt"

	"portico/internal/app"
)

type rulesCmd struct {
	Explain rulesExplainCmd `cmd:"" help:"Show which rule applies to a request, and why."`
}

type rulesExplainCmd struct {
	Method string `arg:"" help:"GET, POST and so on. PREFLIGHT means a CORS preflight request."`
	URL    string `arg:"" name:"url" help:"The URL, or a path on the public host."`
	JSON   bool   `name:"json" help:"Print as JSON."`
}

func (rulesExplainCmd) Help() string {
	return "Example:\n  portico rules explain POST https://app.example.com/admin/users"
}

func (c rulesExplainCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	e, err := app.Explain(cfg, c.Method, c.URL)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return s.print(c.JSON, e, e.Words()...)
}
