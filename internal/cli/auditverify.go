package cli

import (
	"fmt"
	"time"

	"portico/internal/app"
	"portico/internal/audit"
)

type auditVerifyCmd struct {
	FromSeal int64  `help:"Begin with the seal of this number. 0 begins with the first." placeholder:"NUMBER"`
	Kept     string `help:"What an earlier run printed as newest, and you have kept elsewhere: this seal has to be as it was then." placeholder:"NUMBER:HASH"`
	JSON     bool   `name:"json" help:"Print as JSON."`
}

func (auditVerifyCmd) Help() string {
	return "Example:\n  portico audit verify --kept 1234:5f0a...\n\nExits with 1 and names the first seal that does not fit. docs/operating/audit.md says what this proves."
}

// Run verifies the record, also while servers write to it.
func (c auditVerifyCmd) Run(s *session) error {
	var kept audit.Kept
	if c.Kept != "" {
		var err error
		if kept, err = audit.ParseKept(c.Kept); err != nil {
			return fmt.Errorf("%w: --kept is a number and a hash, such as portico audit verify prints them", errUsage)
		}
	}
	return s.withApp(func(a *app.App) error {
		v, err := a.VerifyRecord(s, c.FromSeal, kept)
		if err != nil {
			return err
		}
		return s.print(c.JSON, verifiedJSON{v.Newest.String(), v.Seals, v.Records, when(v.From), when(v.To), when(v.BeganAt), when(v.Until), when(v.Waiting)}, verifiedLines(v)...)
	})
}

type verifiedJSON struct {
	Newest  string `json:"newest"`
	Seals   int64  `json:"seals"`
	Records int64  `json:"records"`
	From    string `json:"from"`
	To      string `json:"to"`
	BeganAt string `json:"chain_began_at"`
	Until   string `json:"deleted_before"`
	Waiting string `json:"not_sealed_since"`
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func verifiedLines(v audit.Verified) []string {
	lines := []string{
		fmt.Sprintf("records as they were sealed\t%d, in %d seals", v.Records, v.Seals),
		"from\t" + when(v.From), "to\t" + when(v.To),
		"first seal of all\t" + when(v.BeganAt),
		"newest\t" + v.Newest.String(),
	}
	if !v.Until.IsZero() {
		lines = append(lines, "deleted because of audit.keep\tbefore "+when(v.Until))
	}
	if !v.Waiting.IsZero() {
		lines = append(lines, "not sealed yet\tsince "+when(v.Waiting))
	}
	return lines
}
