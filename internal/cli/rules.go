package cli

import (
	"fmt"
	"strings"
	"time"

	"portico/internal/app"
	"portico/internal/rule"
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
		return err
	}
	return s.print(c.JSON, e, explain(e)...)
}

// explain returns the decision in words.
func explain(e app.Explanation) []string {
	switch {
	case e.Refused != "":
		return []string{"refused before any rule: " + e.Refused}
	case e.App == "":
		return []string{"no app has this address: Portico itself answers"}
	}
	lines := traced([]string{"app   " + e.App}, "path  "+e.Path, e.Steps)
	for _, other := range e.Others {
		lines = traced(lines, "or    "+other.Path, other.Steps)
	}
	if e.Decides == 0 {
		return append(lines, "refused: no rule matches")
	}
	return append(lines, "from  "+e.Source, "needs "+needs(e.Need))
}

// traced adds a path and the rules that were evaluated for it.
func traced(lines []string, path string, steps []rule.Step) []string {
	lines = append(lines, path)
	for _, step := range steps {
		lines = append(lines, fmt.Sprintf("rule  %s: %s", step.Rule, step.Why))
	}
	return lines
}

// needs returns the requirement of a rule in words.
func needs(n rule.Need) string {
	if n.And != nil {
		and := *n.And
		n.And = nil
		return needs(n) + "; in addition, because some apps decode the path differently, " + needs(and)
	}
	if n.Public {
		return "nothing: everybody may pass"
	}
	text := "a signed-in user"
	if len(n.Roles) > 0 {
		text += ", has the role " + strings.Join(n.Roles, " or ")
	}
	switch {
	case n.MFA && n.Fresh > 0:
		text += ", has given a second factor less than " + spell(n.Fresh) + " ago"
	case n.MFA:
		text += ", has given a second factor"
	case n.Fresh > 0:
		text += ", has signed in less than " + spell(n.Fresh) + " ago"
	}
	return text
}

// spell formats a duration without zero units: 10m, not 10m0s.
func spell(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
