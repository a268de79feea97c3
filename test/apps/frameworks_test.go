package apps

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// The samples of docs/integrating/frameworks.md, behind `portico dev`. The light ones run each time.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/integrating/frameworks.md")
	if err != nil {
		t.Fatal(err)
	}
	putClient(t)
	common := section(page, "JavaScript")
	for name, sample := range map[string]struct {
		hmr    string // what tells the address of the WebSocket for hot reload; "" if there is none
		needs  string // shell: fails if the framework is missing
		before string // shell: runs in the folder, before the files are written
		heavy  bool
		public bool // the page is for everybody, and a script asks the API
		router bool // fetches pages in the browser: the page is for everybody and links to one that is not
		header bool // believes the header
		python bool // has the middleware of the client for Python, and a page of admins
	}{
		"Next.js": {hmr: "/_next/hmr?id=1", heavy: true, router: true,
			before: "echo 'export default { cacheComponents: true };' >next.config.js"}, // as create-next-app sets it
		"React Router": {hmr: "/@vite/client", heavy: true, router: true},
		"SvelteKit":    {hmr: "/@vite/client", heavy: true, router: true},
		"Astro":        {hmr: "/@vite/client", heavy: true},
		"Nuxt": {hmr: "/_nuxt/@vite/client", heavy: true,
			before: "npm init -y >about && npm install --no-audit --no-fund nuxt@4.5.2"}, // with a Vite of its own
		"Hono":                    {},
		"Express":                 {},
		"Fastify":                 {},
		"Static site with an API": {public: true, header: true},
		"Django":                  {python: true, needs: "python3 -c 'import django, jwt'", before: "django-admin startproject shop ."},
		"FastAPI":                 {python: true, needs: "python3 -c 'import fastapi, uvicorn, jwt'"},
		"Rails":                   {needs: "ruby -e \"require 'action_controller/railtie'\" && which puma", heavy: true, header: true},
		"Go": {before: "go mod init app && go mod edit -require portico.internal/clients/go@v0.0.0 " +
			"-replace portico.internal/clients/go=../../../../clients/go && cp ../../../../clients/go/go.sum ."},
	} {
		t.Run(name, func(t *testing.T) {
			if sample.heavy && os.Getenv("PORTICO_TESTS") != "full" {
				t.Skip("make conformance runs this framework")
			}
			s := &sampleApp{T: t, port: freePort(t), own: freePort(t), rules: rulesOf(page, sample.router)}
			if s.dir, err = os.MkdirTemp("frameworks", "run-"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if _ = os.RemoveAll(s.dir); t.Failed() {
					t.Logf("%.4000s", &s.log)
				}
			})
			if sample.needs != "" && s.shell(sample.needs).Run() != nil {
				t.Skip("the framework is missing: run tools/apps")
			}
			if sample.before != "" {
				if out, err := s.shell(sample.before).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			began := time.Now()
			s.serve(append(common, section(page, name)...))
			s.stranger(sample.public || sample.router, sample.header)
			browser, email := s.signIn("{}")
			if text := s.get(browser, "/", "text/html", 200); !sample.public && !strings.Contains(text, email) {
				t.Errorf("the page does not name %s: %.1000s", email, text)
			}
			var me struct{ Email string }
			if text := s.get(browser, "/api/me", "application/json", 200); json.Unmarshal([]byte(text), &me) != nil || me.Email != email {
				t.Errorf("the API answers %.500s", text)
			}
			t.Logf("signed in after %.1f s", time.Since(began).Seconds())
			if sample.python {
				s.leads()
				s.get(browser, "/", "text/html", 200, "X-Portico-Token", "made.up.token") // Portico replaces it
				s.get(browser, "/admin", "text/html", 403)
				admin, _ := s.signIn(`{"roles": ["admin"]}`)
				s.get(admin, "/admin", "text/html", 200)
			}
			if sample.router {
				s.get(browser, "/editor", "text/html", 403)
				s.get(browser, "/api/editor/articles", "application/json", 403)
				s.click()
				if log := s.log.String(); strings.Contains(log, "prerender") {
					t.Errorf("the framework complains of a page: %.2000s", log)
				}
			}
			if sample.hmr != "" {
				s.reloads(browser, sample.hmr, sample.router)
			}
		})
	}
}

// putClient puts the client where npm puts the file of a release, until the test ends.
func putClient(t *testing.T) {
	t.Helper()
	const from, to = "../../clients/js", "frameworks/node_modules/portico-client"
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(to) })
	if err := os.CopyFS(to+"/src", os.DirFS(from+"/src")); err != nil {
		t.Fatal(err)
	}
	about, err := os.ReadFile(from + "/package.json")
	if err == nil {
		err = os.WriteFile(to+"/package.json", about, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// section returns the blocks below a heading, each with its language.
func section(page []byte, heading string) [][]byte {
	_, rest, _ := bytes.Cut(page, []byte("\n## "+heading+"\n"))
	rest, _, _ = bytes.Cut(rest, []byte("\n## "))
	return regexp.MustCompile("(?ms)^```[a-z]+\n.*?^```$").FindAll(rest, -1)
}

// rulesOf returns the rules of the first lines, or those with public pages.
func rulesOf(page []byte, public bool) string {
	all := regexp.MustCompile(`PORTICO_RULES="(.+?)"`).FindAllSubmatch(page, 2)
	if public {
		return string(all[1][1])
	}
	return string(all[0][1])
}

// sampleApp is an app of the page, in a folder below the packages of npm.
type sampleApp struct {
	*testing.T
	dir       string
	port, own string // of Portico and of the app
	rules     string
	log       buffer
}

func (s *sampleApp) shell(line string) *exec.Cmd {
	own, _ := filepath.Abs(s.dir)
	bin, _ := filepath.Abs("frameworks/node_modules/.bin")
	python, _ := filepath.Abs("../../clients/python")
	c := exec.Command("sh", "-c", line)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "PATH="+own+"/node_modules/.bin:"+bin+":/usr/bin:"+os.Getenv("PATH"), "PYTHONPATH="+python, "PYTHONDONTWRITEBYTECODE=1",
		"GOFLAGS=-mod=mod", "NEXT_TELEMETRY_DISABLED=1", "ASTRO_TELEMETRY_DISABLED=1", "NUXT_TELEMETRY_DISABLED=1")
	return c
}

// serve writes the files of the blocks, starts the app as the last line of the block sh says, and `portico dev`.
func (s *sampleApp) serve(blocks [][]byte) {
	s.Helper()
	second := s.own
	if bytes.Contains(bytes.Join(blocks, nil), []byte("3001")) { // the API of a static site
		second = freePort(s.T)
	}
	ports := strings.NewReplacer("8080", s.port, "3000", s.own, "3001", second)
	file := regexp.MustCompile("(?s)^```[a-z]+\n(?://|#|<!--) (\\S+\\.\\w+)(?: -->)?\n(.*)```$")
	last := regexp.MustCompile("(?s)^```sh\n(?:.*\n)?([^\n]+)\n```$")
	var command string
	for _, block := range blocks {
		if found := last.FindSubmatch(block); found != nil {
			command = strings.ReplaceAll(string(found[1]), "npx ", "") // which would download what is missing
		} else if found := file.FindSubmatch(block); found != nil {
			path := filepath.Join(s.dir, string(found[1]))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				s.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(ports.Replace(string(found[2]))), 0o600); err != nil {
				s.Fatal(err)
			}
		}
	}
	s.start(s.shell(ports.Replace(command)))
	path, err := binary()
	if err != nil {
		s.Fatalf("run make build first: %v", err)
	}
	dev := exec.Command(path, "dev")
	dev.Dir, dev.Env = s.dir, []string{"HOME=" + s.dir, "PORTICO_LISTEN=127.0.0.1:" + s.port} // PORTICO_TESTS is no setting
	listening := []string{"http://localhost:" + s.port + "/auth/api/dev/clock", "http://127.0.0.1:" + s.own}
	settings, err := filepath.Abs(filepath.Join(s.dir, "portico.toml"))
	if err != nil {
		s.Fatal(err)
	}
	if _, err := os.Stat(settings); err == nil {
		dev.Args = append(dev.Args, "--config", settings)
		listening = append(listening, "http://127.0.0.1:"+second)
	} else {
		dev.Env = append(dev.Env, "PORTICO_UPSTREAM=http://127.0.0.1:"+s.own, "PORTICO_RULES="+s.rules)
	}
	s.start(dev)
	for _, url := range listening {
		await(s.T, url, &s.log)
	}
}

// start runs a program and what it starts until the test ends.
func (s *sampleApp) start(c *exec.Cmd) {
	s.Helper()
	c.Stdout, c.Stderr, c.SysProcAttr = &s.log, &s.log, &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = time.Second
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	})
}

// get opens a path as a browser or a script does, without following.
func (s *sampleApp) get(browser *http.Client, path, accept string, status int, headers ...string) string {
	s.Helper()
	return s.ask(browser, "http://localhost:"+s.port+path, accept, status, headers...)
}

func (s *sampleApp) ask(browser *http.Client, url, accept string, status int, headers ...string) string {
	s.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("X-Portico-Email", "forged@example.com")
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	r.Host = r.Header.Get("Host") // "" is that of the URL
	answer, err := browser.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != status || bytes.Contains(text, []byte("forged@example.com")) {
		s.Fatalf("%s is answered %d and not %d, and goes to %q: %.1000s", url, answer.StatusCode, status, answer.Header.Get("Location"), text)
	}
	return answer.Header.Get("Location") + string(text)
}

// stranger sees the sign-in page, and no API: neither behind Portico nor at the app itself.
func (s *sampleApp) stranger(public, header bool) {
	s.Helper()
	browser := newBrowser()
	if public {
		s.get(browser, "/", "text/html", 200)
	} else if to := s.get(browser, "/", "text/html", 303); !strings.HasPrefix(to, "/auth/signin") {
		s.Errorf("the page leads to %s", to)
	}
	s.get(browser, "/api/me", "application/json", 401)
	if !header {
		s.ask(browser, "http://127.0.0.1:"+s.own+"/api/me", "application/json", 401)
	}
}

// leads asks the app itself without a session: a navigation goes to the sign-in page and comes back, and a script learns its address.
func (s *sampleApp) leads() {
	s.Helper()
	signIn := "http://localhost:" + s.port + "/auth/signin"
	if to := s.ask(newBrowser(), "http://127.0.0.1:"+s.own+"/a%20b?c=d", "text/html", 303, "Sec-Fetch-Mode", "navigate", "Host", "localhost:"+s.port); to != signIn+"?return_to=%2Fa%2520b%3Fc%3Dd" {
		s.Errorf("a navigation leads to %s", to)
	}
	if text := s.ask(newBrowser(), "http://127.0.0.1:"+s.own+"/", "*/*", 401, "Sec-Fetch-Mode", "cors"); !strings.Contains(text, `"signin_url": "`+signIn+`"`) {
		s.Errorf("a script gets %s", text)
	}
}

// click follows the links of the page in a real browser: without a session, with one, and when it has ended.
func (s *sampleApp) click() {
	s.Helper()
	c := s.shell("exec node ../click.js http://localhost:" + s.port)
	if out, err := c.CombinedOutput(); err != nil {
		s.Errorf("%v\n%s", err, out)
	}
}

func newBrowser() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// signIn signs a new person in by one request, with what the JSON says.
func (s *sampleApp) signIn(person string) (browser *http.Client, email string) {
	s.Helper()
	browser = newBrowser()
	r, err := http.NewRequest(http.MethodPost, "http://localhost:"+s.port+"/auth/api/dev/session", strings.NewReader(person))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := browser.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ Email string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Email == "" {
		s.Fatalf("the sign-in is answered %d: %v", answer.StatusCode, err)
	}
	return browser, made.Email
}

// reloads expects a message of the dev server on its WebSocket through Portico, and none without a session, unless it is public.
// Vite's own script tells the secret of its WebSocket.
func (s *sampleApp) reloads(browser *http.Client, path string, public bool) {
	s.Helper()
	origin := "http://localhost:" + s.port
	if base, ok := strings.CutSuffix(path, "@vite/client"); ok {
		script := s.get(browser, path, "*/*", 200)
		token := regexp.MustCompile(`wsToken = "([^"]+)"`).FindStringSubmatch(script)
		if token == nil {
			s.Fatalf("Vite's script has no token: %.500s", script)
		}
		path = base + "?token=" + token[1]
	}
	settings, err := websocket.NewConfig("ws://localhost:"+s.port+path, origin)
	if err != nil {
		s.Fatal(err)
	}
	settings.Protocol = []string{"vite-hmr"}
	if c, err := settings.DialContext(s.Context()); err == nil && !public {
		_ = c.Close()
		s.Error("a stranger opens the WebSocket")
	}
	at, _ := http.NewRequest(http.MethodGet, origin, nil)
	for _, cookie := range browser.Jar.Cookies(at.URL) {
		settings.Header.Add("Cookie", cookie.String())
	}
	c, err := settings.DialContext(s.Context())
	if err != nil {
		s.Fatalf("the WebSocket does not open: %v", err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	var message string
	if err := websocket.Message.Receive(c, &message); err != nil {
		s.Errorf("the WebSocket says nothing: %v", err)
	}
}
