package apps

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// The command of Smallstep, as a client with a secret, and as a public client, which sends an empty one. It takes only
// issuers by https, so it is told the endpoints.
func TestStep(t *testing.T) {
	t.Parallel()
	if os.Getenv("PORTICO_TESTS") != "full" {
		t.Skip("make conformance builds this app")
	}
	dir := t.TempDir()
	install := exec.Command("go", "install", "github.com/smallstep/cli/cmd/step@v0.21.0")
	install.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, secret := range []string{"a long secret of the command", ""} {
		t.Run("secret "+secret, func(t *testing.T) {
			t.Parallel()
			here := "127.0.0.1:" + freePort(t)
			p := start(t, client{ID: "step", Secret: secret, Redirect: "http://" + here, More: "scopes = [\"openid\", \"email\"]"})
			var out, said buffer
			c := exec.Command(filepath.Join(dir, "step"), "oauth", "--provider=https://portico.test", "--authorization-endpoint="+p.origin+"/auth/openid/authorize", "--token-endpoint="+p.origin+"/auth/openid/token", "--client-id=step", "--client-secret="+secret, "--listen="+here)
			c.Env, c.Stdout, c.Stderr = append(os.Environ(), "HOME="+p.dir, "PATH="), &out, &said
			run(t, c)
			v := newVisitor(t)
			link := regexp.MustCompile(`http://\S+/auth/openid/authorize\S+`)
			for late := time.After(time.Minute); link.FindString(said.String()) == ""; {
				select {
				case <-late:
					t.Fatalf("no link: %s%s", &out, &said)
				case <-time.After(50 * time.Millisecond):
				}
			}
			v.open(link.FindString(said.String()))
			for late := time.After(time.Minute); ; {
				var tokens struct {
					ID string `json:"id_token"`
				}
				if json.Unmarshal([]byte(out.String()), &tokens) == nil && tokens.ID != "" {
					return
				}
				select {
				case <-late:
					t.Fatalf("no tokens: %s%s\n%s", &out, &said, &p.log)
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
}
