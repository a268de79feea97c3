package cli

import (
	"fmt"

	"portico/internal/doctor"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (doctorCmd) Help() string {
	return `Example:
  portico doctor

Reads the same settings as 'portico serve' and tests what they name: the database, the mail server (without sending email), the identity providers, the apps, and the path from the public URL through your proxy. It changes nothing and can run next to a server. Run it as the user that runs the server. Each line starts with ok, warning, failed or skipped. The exit code is 1 if a check failed.`
}

// Run runs all checks. It fails if one of them does.
func (c doctorCmd) Run(s *session) error {
	cfg, wrong, err := s.judged()
	if err != nil {
		return err
	}
	found := doctor.Examine(s, cfg, wrong)
	failed, lines := 0, make([]string, 0, len(found))
	for _, f := range found {
		lines = append(lines, f.String())
		if f.State == doctor.Failed {
			failed++
		}
	}
	if err := s.print(c.JSON, found, lines...); err != nil || failed == 0 {
		return err
	}
	return fmt.Errorf("%s failed", counted(failed, "check"))
}
