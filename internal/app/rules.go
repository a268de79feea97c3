package app

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"portico/internal/config"
	"portico/internal/origin"
	"portico/internal/pages"
	"portico/internal/rule"
)

// sites converts the configured apps and their rules for package rule, or
// returns their problems.
func sites(cfg config.Config) ([]rule.Site, config.Problems) {
	var list []rule.Site
	var problems config.Problems
	for _, a := range cfg.Served() {
		if _, err := rule.Path(a.Path); err != nil {
			problems = append(problems, cfg.Problem(a.Setting("path", -1), err.Error(), "write a path such as /shop"))
			continue
		}
		set, wrong := rule.New(a.Path, a.Rules)
		problems = append(problems, badRules(cfg, a, wrong)...)
		list = append(list, rule.Site{Host: a.Host, Path: a.Path, Rules: set, AsSent: a.Paths == config.PathsAsSent, Server: a.Server()})
	}
	return list, problems
}

// rulesWithoutApp returns the problems of the setting rules while the setting
// upstream is missing or cannot be read, so that one check names all of them.
func rulesWithoutApp(cfg config.Config) config.Problems {
	if cfg.App.Upstream != nil || len(cfg.App.Rules) == 0 {
		return nil
	}
	_, wrong := rule.New("/", cfg.App.Rules)
	return badRules(cfg, cfg.App, wrong)
}

func badRules(cfg config.Config, a config.App, wrong []rule.Problem) (problems config.Problems) {
	for _, p := range wrong {
		problems = append(problems, cfg.Problem(a.Setting("rules", p.Rule), fmt.Sprintf("(%s) %s", a.Rules[p.Rule], p.Why), p.Write))
	}
	return problems
}

// Explanation says what happens to a request and why.
type Explanation struct {
	App     string      `json:"app"`              // "" when no app has the address
	Path    string      `json:"path"`             // as rules see it, "" when it is refused
	Refused string      `json:"refused"`          // why the request is refused before any rule; "" if it is not
	Decides int         `json:"decides"`          // number of the deciding rule, from 1; 0 for none
	Rule    string      `json:"rule"`             // text of that rule
	Source  string      `json:"source"`           // where that rule is written
	Steps   []rule.Step `json:"steps"`            // the rules that were evaluated
	Others  []Reading   `json:"others,omitempty"` // of an app that takes paths as they are sent
	Need    rule.Need   `json:"-"`
}

// Reading is another path that an app may read, with the rules that were evaluated.
type Reading struct {
	Path  string      `json:"path"`
	Steps []rule.Step `json:"steps"`
}

// Explain returns how the rules decide about a request. target is a URL, or a
// path on the public host.
func Explain(cfg config.Config, method, target string) (Explanation, error) {
	list, problems := sites(cfg)
	switch {
	case len(problems) > 0:
		return Explanation{}, problems
	case len(list) == 0:
		return Explanation{}, errors.New("no app is configured: set upstream or [[app]]")
	}
	host, raw, err := split(cfg, target)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Steps: []rule.Step{}}
	if !answers(cfg, list, host) {
		e.Refused = host + " is neither the host of public_url nor the host of an app: a request for it is answered 421"
		return e, nil
	}
	m := rule.Method(method, false)
	if method == "PREFLIGHT" {
		m = rule.Method("OPTIONS", true)
	}
	if m == 0 {
		e.Refused = method + " is not a method that Portico forwards to apps"
		return e, nil
	}
	sites := rule.NewSites(list)
	e.Path, err = rule.Path(raw)
	site, i, ok := sites.Find(host, e.Path)
	readings := []string{e.Path}
	if err != nil {
		if site, i, readings, ok = sites.FindAsSent(host, raw); !ok {
			e.Refused = err.Error()
			return e, nil
		}
		e.Path = readings[0]
	}
	if !ok || pages.Own(e.Path) {
		return e, nil
	}
	a := cfg.Served()[i]
	e.App, e.Steps = a.Name, site.Rules.Trace(m, e.Path)
	for _, path := range readings[1:] {
		e.Others = append(e.Others, Reading{path, site.Rules.Trace(m, path)})
	}
	for _, also := range sites.Readings(i, readings) {
		e.Others = append(e.Others, Reading{also.Path, list[also.Site].Rules.Trace(m, also.Path)})
	}
	if r, at, ok := sites.MatchAll(i, m, readings); ok {
		e.Decides, e.Rule, e.Need, e.Source = at+1, r.String(), r.Need, cfg.Source(a.Setting("rules", at))
	}
	return e, nil
}

// Words returns the decision in words.
func (e Explanation) Words() []string {
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
	return append(lines, "from  "+e.Source, "needs "+e.Need.Words())
}

// traced adds a path and the rules that were evaluated for it.
func traced(lines []string, path string, steps []rule.Step) []string {
	lines = append(lines, path)
	for _, step := range steps {
		lines = append(lines, fmt.Sprintf("rule  %s: %s", step.Rule, step.Why))
	}
	return lines
}

// answers reports whether Portico serves a host.
func answers(cfg config.Config, apps []rule.Site, host string) bool {
	if cfg.PublicURL != nil {
		if _, public, _ := strings.Cut(origin.Of(cfg.PublicURL), "://"); host == public {
			return true
		}
	}
	return slices.ContainsFunc(apps, func(s rule.Site) bool { return s.Host == host })
}

// split returns the host and the escaped path of a URL. It keeps the path as
// written, because url.Parse would normalize it.
func split(cfg config.Config, target string) (host, path string, err error) {
	target = origin.ASCII(target)
	if cut := strings.IndexAny(target, "?#"); cut >= 0 {
		target = target[:cut]
	}
	if strings.HasPrefix(target, "/") {
		if cfg.PublicURL == nil {
			return "", "", errors.New("public_url is not set: write the whole URL")
		}
		_, host, _ = strings.Cut(origin.Of(cfg.PublicURL), "://")
		return host, target, nil
	}
	scheme, rest, ok := strings.Cut(target, "://")
	authority, path, _ := strings.Cut(rest, "/")
	u, err := url.Parse(scheme + "://" + authority)
	if !ok || err != nil || u.Host == "" {
		return "", "", fmt.Errorf("%q is neither a URL nor a path: write https://app.example.com/path or /path", target)
	}
	_, host, _ = strings.Cut(origin.Of(u), "://")
	return host, "/" + path, nil
}
