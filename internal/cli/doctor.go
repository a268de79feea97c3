package cli

import (
	"fmt"

	"portico/internal/doctor"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

// Help shows an example.
func (doctorCmd) Help() string {
	return `Example:
  portico doctor

It takes the settings as 'portico serve' does, and tries what they name: the database, the mail server up to the sender (no mail is sent), the providers, the apps, and the way from the public URL through the proxy in front. It changes nothing, and may run beside a server. Run it as the user who serves. Each line is ok, a warning, failed or skipped; exit code 1 when one has failed.`
}

// Run tries everything.
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
