package cli

import (
	"errors"
	"fmt"
	"net"
	"net/url"

	"portico/internal/cli/spoof"
	"portico/internal/legible"
	"portico/internal/origin"
)

type checkAppCmd struct {
	URL     string   `arg:"" help:"A page of the app that requires signing in."`
	Connect string   `help:"Connect to this address instead of the URL's host, to test a deployment before its DNS entry exists." placeholder:"HOST:PORT"`
	Echo    string   `help:"The path of a public page that shows the request headers the app received." placeholder:"PATH"`
	Header  []string `help:"Another header that tells your app who is signed in, besides X-Portico-... and Remote-.... Can be repeated. Used with --echo." placeholder:"NAME" sep:"none"`
	Direct  string   `help:"The address the app itself listens on. Only Portico or your proxy should be able to reach it." placeholder:"URL"`
	JSON    bool     `name:"json" help:"Print every request as JSON."`
}

func (checkAppCmd) Help() string {
	return `Example:
  portico check-app https://example.com/app --direct http://10.0.0.5:3000

Sends about two hundred requests without a session. All of them must be refused: forged identity headers in every spelling, other spellings of the path, and requests that two programs could read differently. The exit code is 1 if a request gets through, and 2 if there is no app to refuse it. Run it from outside your network, and only against your own deployment.`
}

// errThrough means that the deployment serves a request that it must refuse.
var errThrough = errors.New("some requests got through")

// Run sends the attacks and reports what got through.
func (c checkAppCmd) Run(s *session) error {
	target, err := c.target()
	if err != nil {
		return err
	}
	trials, err := spoof.Run(s, target)
	if errors.Is(err, spoof.ErrOpen) || errors.Is(err, spoof.ErrAbsent) || errors.Is(err, spoof.ErrMute) {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if err != nil {
		return err
	}
	var lines []string
	for _, t := range trials {
		if t.Through {
			lines = append(lines, fmt.Sprintf("through\t%d\t%s\t%s", t.Status, t.Request, t.Why))
		}
	}
	through := len(lines)
	lines = append(lines, fmt.Sprintf("%d requests tried, %d got through", len(trials), through))
	if err := s.print(c.JSON, trials, lines...); err != nil || through == 0 {
		return err
	}
	return errThrough
}

func (c checkAppCmd) target() (spoof.Deployment, error) {
	page, err := webAddress(c.URL)
	if err != nil {
		return spoof.Deployment{}, err
	}
	if page.Path == "" {
		page.Path = "/"
	}
	t := spoof.Deployment{URL: page, Addr: c.Connect, Echo: c.Echo, Told: c.Header}
	if c.Echo != "" && c.Echo[0] != '/' {
		return spoof.Deployment{}, fmt.Errorf("%w: --echo must be a path such as /headers", errUsage)
	}
	if _, _, err := net.SplitHostPort(c.Connect); c.Connect != "" && err != nil {
		return spoof.Deployment{}, fmt.Errorf("%w: --connect must be an address with its port, such as 10.0.0.5:443", errUsage)
	}
	if c.Direct != "" {
		t.Direct, err = webAddress(c.Direct)
	}
	return t, err
}

func webAddress(text string) (*url.URL, error) {
	u, err := url.Parse(origin.ASCII(legible.Trim(text)))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%w: %q is not an address: write one such as https://example.com/app", errUsage, text)
	}
	return u, nil
}
