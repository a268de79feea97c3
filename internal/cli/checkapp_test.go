package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/internal/cli"
)

func TestCheckApp(t *testing.T) {
	t.Parallel()
	believes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Portico-User") == "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, "welcome")
	}))
	defer believes.Close()
	careful := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer careful.Close()
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "welcome") }))
	defer open.Close()
	absent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/": // Portico without an app
			http.Redirect(w, r, "/auth/signin", http.StatusSeeOther)
		case "/empty": // a proxy that does not know the host
		case "/down":
			w.WriteHeader(http.StatusBadGateway)
		default:
			http.NotFound(w, r)
		}
	}))
	defer absent.Close()

	for _, test := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{careful.URL, 0, " tried, 0 got through", ""},
		{believes.URL + "/app", 1, "through\t200\tX-Portico-User: portico-spoof\tthe header opens the page", "some requests got through"},
		{careful.URL + " --direct " + believes.URL, 1, "without Portico and trusts a header", "some requests got through"},
		{absent.URL + "/hello", 2, "", "/hello answers 404: an app behind Portico refuses in another way"},
		{absent.URL, 2, "", "answers 303 to /auth/signin: an app behind Portico"},
		{absent.URL + "/empty", 2, "", "answers 200: an app behind Portico"},
		{absent.URL + "/down", 2, "", "answers 502: an app behind Portico"},
		{open.URL, 2, "", "the page is open to everybody"},
		{"http://127.0.0.1:1", 1, "", "cannot be reached"},
		{"example.com", 2, "", "is not an address"},
		{careful.URL + " --direct x", 2, "", "is not an address"},
		{careful.URL + " --connect 10.0.0.5", 2, "", "--connect must be an address with its port"},
		{careful.URL + " --echo headers", 2, "", "--echo must be a path"},
		{careful.URL + " --echo /headers", 2, "", "does not show the headers"},
		{"", 2, "", "expected"},
	} {
		var stdout, stderr strings.Builder
		code := cli.Run(t.Context(), cli.Process{Args: append([]string{"check-app"}, strings.Fields(test.args)...), Stdout: &stdout, Stderr: &stderr})
		if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("check-app %s: %d\n%s%s", test.args, code, stdout.String(), stderr.String())
		}
	}

	var stdout, stderr strings.Builder
	code := cli.Run(t.Context(), cli.Process{Args: []string{"check-app", believes.URL, "--json"}, Stdout: &stdout, Stderr: &stderr})
	var trials []struct {
		Request string
		Status  int
		Through bool
	}
	reached := func() (through int) {
		for _, trial := range trials {
			if trial.Through && trial.Status == 200 && strings.Contains(trial.Request, "X-Portico-User") {
				through++
			}
		}
		return through
	}
	if err := json.Unmarshal([]byte(stdout.String()), &trials); err != nil || code != 1 || len(trials) < 100 || reached() == 0 {
		t.Errorf("--json: %d, %v, %.300s", code, err, stdout.String())
	}
}
