package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// packed makes the files of the clients.
func packed(t *testing.T, version string) string {
	t.Helper()
	r := release{root: "../..", out: t.TempDir(), version: version, goPath: "go.example.org/portico", when: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, pack := range []func() error{r.goClient, r.jsClient, r.pyClient} {
		if err := pack(); err != nil {
			t.Fatal(err)
		}
	}
	return r.out
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// administration is the program of docs/integrating/go.md, which calls the admin API at an address.
func administration(t *testing.T, address string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/integrating/go.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "## Administration")
	_, text, _ = strings.Cut(text, "```go\n")
	sample, _, _ := strings.Cut(text, "```")
	return `package main

import (
	"context"
	"log"
	"net/url"
	"os"

	client "go.example.org/portico"
)

func main() {
	ctx := context.Background()
` + strings.ReplaceAll(sample, "https://example.com", address) + "}\n"
}

// A new module fetches the Go client from the archive, with the commands of
// docs/integrating/go.md, by the path that a host of its own gives it. The program there
// does not hide that its change is refused.
func TestGoClient_CanBeFetched(t *testing.T) {
	out, app := packed(t, "1.8.7"), t.TempDir()
	command(t, app, "unzip", "-q", filepath.Join(out, "portico-client-go_1.8.7.zip"), "-d", "proxy")
	write(t, app, "go.mod", "module example.com/app\n\ngo 1.25.0\n")
	write(t, app, "main.go", `package main

import (
	"log"
	"net/http"

	client "go.example.org/portico"
)

func main() {
	portico, err := client.New("https://example.com", client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:3000", portico.Require(http.NotFoundHandler())))
}
`)
	write(t, app, "main_test.go", `package main

import (
	"net/http/httptest"
	"testing"

	client "go.example.org/portico"
	"go.example.org/portico/clienttest"
)

func TestSignedIn(t *testing.T) {
	portico := clienttest.New(t)
	r := httptest.NewRequest("GET", "/", nil)
	portico.SignIn(r, client.Identity{ID: "1", Email: "mara@example.com"})
	if person, _, err := portico.Client(client.Options{}).Identify(r); err != nil || person.Email != "mara@example.com" {
		t.Error(person, err)
	}
}
`)
	portico := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, `{"code":"approval.undecided"}`, http.StatusConflict)
			return
		}
		fmt.Fprint(w, `{"people":[{"id":"1"}]}`)
	}))
	t.Cleanup(portico.Close)
	if err := os.Mkdir(filepath.Join(app, "leavers"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, app, "leavers/main.go", administration(t, portico.URL))
	t.Setenv("GOPROXY", "file://"+app+"/proxy,"+command(t, app, "go", "env", "GOPROXY"))
	t.Setenv("GONOSUMDB", "go.example.org")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", command(t, app, "go", "env", "GOMODCACHE"))
	t.Cleanup(func() { // another run packs other bytes under the same version
		cache := os.Getenv("GOMODCACHE")
		_ = os.RemoveAll(filepath.Join(cache, "go.example.org"))
		_ = os.RemoveAll(filepath.Join(cache, "cache", "download", "go.example.org"))
	})
	command(t, app, "go", "get", "go.example.org/portico@v1.8.7")
	command(t, app, "go", "mod", "tidy")
	command(t, app, "go", "vet", "./...")
	command(t, app, "go", "test", "./...")
	c := exec.Command("go", "run", "./leavers")
	c.Dir = app
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "approval.undecided") {
		t.Errorf("the program of docs/integrating/go.md hides a refusal (%v):\n%s", err, out)
	}
}

// The clients have the version of Portico, which Go and npm take.
func TestClients_Version(t *testing.T) {
	for version, want := range map[string]string{"1.8.7": "1.8.7", "1.8.7+3.0123456789ab.dirty": "1.8.7-3-0123456789ab-dirty"} {
		out := packed(t, version)
		if list := command(t, out, "unzip", "-p", "portico-client-go_"+want+".zip", "go.example.org/portico/@v/list"); list != "v"+want {
			t.Errorf("%s: the Go client has the version %s, want v%s", version, list, want)
		}
		if manifest := command(t, out, "tar", "-xzOf", "portico-client-"+want+".tgz", "package/package.json"); !strings.Contains(manifest, `"version": "`+want+`"`) {
			t.Errorf("%s: the JavaScript client has the manifest %s", version, manifest)
		}
	}
}

// The package has what an app needs, and nothing else.
func TestJSClient_Holds(t *testing.T) {
	out := packed(t, "1.8.7")
	names := strings.Fields(command(t, out, "tar", "-tzf", "portico-client-1.8.7.tgz"))
	slices.Sort(names)
	want := strings.Fields(`package/LICENSE package/README.md package/package.json
		package/src/admin.d.ts package/src/admin.js package/src/answer.js package/src/browser.d.ts package/src/browser.js
		package/src/cypress.d.ts package/src/cypress.js package/src/dev.js package/src/fault.js package/src/get-node.js package/src/get.js package/src/keys.js package/src/origin.js
		package/src/react.d.ts package/src/react.js package/src/script.d.ts package/src/script.js package/src/server.d.ts package/src/server.js
		package/src/session.js package/src/testing.d.ts package/src/testing.js package/src/token.js package/src/user-button.js`)
	if !slices.Equal(names, want) {
		t.Errorf("the package has\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	tools, err := filepath.Abs("../../clients/js/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	command(t, out, filepath.Join(tools, "publint"), "--strict", "portico-client-1.8.7.tgz")
	command(t, out, filepath.Join(tools, "attw"), "--profile", "esm-only", "--format", "ascii", "portico-client-1.8.7.tgz")
	license, err := os.ReadFile("../../LICENSE")
	for _, client := range []string{"go", "js", "python"} {
		copied, missing := os.ReadFile("../../clients/" + client + "/LICENSE")
		if err != nil || missing != nil || !bytes.Equal(license, copied) {
			t.Errorf("clients/%s/LICENSE is not the license of Portico: copy it (%v, %v)", client, err, missing)
		}
	}
}

// A new project installs the package, imports everything from it with its types,
// and loads it in Node.
func TestJSClient_CanBeInstalled(t *testing.T) {
	out, app := packed(t, "1.8.7"), t.TempDir()
	tools, err := filepath.Abs("../../clients/js/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	write(t, app, "package.json", `{"name": "app", "private": true, "type": "module"}`)
	command(t, app, "npm", "install", "--silent", "--no-audit", "--no-fund", "--omit=peer", filepath.Join(out, "portico-client-1.8.7.tgz"))
	write(t, app, "app.ts", `import { Portico, Refused, Unavailable, type AnyHeaders, type Options, type Person } from 'portico-client';
import { fetch, signIn } from 'portico-client/browser';
import { SignedIn, UserButton, useSession, type Session, type SessionState } from 'portico-client/react';
import 'portico-client/script.js';

const options: Options = { audience: 'app' };
const portico = new Portico('https://example.com', options);
export async function person(headers: AnyHeaders): Promise<Person | null> {
  try {
    return await portico.identify(headers);
  } catch (error) {
    if (error instanceof Refused || error instanceof Unavailable) return null;
    throw error;
  }
}
export const session = (): SessionState => useSession();
export const name = (s: Session): string => s.user.name;
export const shown = [SignedIn({ children: 'in' }), UserButton({ url: '/me' })];
export const page = async (): Promise<boolean> => (await fetch('/')).ok || signIn('/auth/signin');
`)
	write(t, app, "tsconfig.json", `{"compilerOptions": {"strict": true, "noEmit": true, "module": "NodeNext", "target": "ES2023",
		"lib": ["ES2024", "DOM"], "types": ["node"], "typeRoots": ["`+tools+`/@types"], "paths": {"react": ["`+tools+`/@types/react"]}}, "files": ["app.ts"]}`)
	command(t, app, filepath.Join(tools, ".bin", "tsc"), "-p", ".")
	command(t, app, "node", "--input-type=module", "-e", `
		const { Portico } = await import('portico-client'); new Portico('https://example.com');
		if (typeof (await import('portico-client/browser')).signIn !== 'function') throw new Error('no signIn');`)
	write(t, app, "wrong.ts", "import { Portico } from 'portico-client'; export const n: number = new Portico('x');\n")
	c := exec.Command(filepath.Join(tools, ".bin", "tsc"), "--ignoreConfig", "--noEmit", "--module", "NodeNext", "--types", "node", "--typeRoots", tools+"/@types", "wrong.ts")
	c.Dir = app
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "is not assignable to type 'number'") {
		t.Errorf("the types of the package are not used: %s", out)
	}
}

// The wheel has the package alone, its requirement and its license.
func TestPyClient_Holds(t *testing.T) {
	out := packed(t, "1.8.7+3.0123456789ab")
	wheel := "portico_client-1.8.7+3.0123456789ab-py3-none-any.whl"
	var modules, about []string
	for _, name := range strings.Fields(command(t, out, "unzip", "-Z1", wheel)) {
		if strings.HasPrefix(name, "portico_client/") {
			modules = append(modules, name)
		} else {
			about = append(about, filepath.Base(name))
		}
	}
	slices.Sort(modules)
	slices.Sort(about)
	if want := strings.Fields(`portico_client/__init__.py portico_client/answers.py portico_client/faults.py portico_client/keys.py
		portico_client/middleware.py portico_client/py.typed portico_client/tokens.py`); !slices.Equal(modules, want) {
		t.Errorf("the package has %v, want %v", modules, want)
	}
	if want := []string{"LICENSE", "METADATA", "RECORD", "WHEEL"}; !slices.Equal(about, want) {
		t.Errorf("beside the package are %v, want %v", about, want)
	}
	about = strings.Split(command(t, out, "unzip", "-p", wheel, "portico_client-1.8.7+3.0123456789ab.dist-info/METADATA"), "\n")
	for _, line := range []string{"Name: portico-client", "Version: 1.8.7+3.0123456789ab", "Requires-Python: >=3.10", "Requires-Dist: pyjwt[crypto]>=2.6"} {
		if !slices.Contains(about, line) {
			t.Errorf("METADATA has no line %q:\n%s", line, strings.Join(about, "\n"))
		}
	}
	app := t.TempDir()
	command(t, out, "python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", app, wheel)
	command(t, app, "python3", "-m", "compileall", "-q", "portico_client")
}
