package apps

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// kubelogin with the flags that the preset prints: a sign-in, the token that it keeps, and a refresh. No
// package registry has it, so it must be in PATH.
func TestKubelogin(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("kubelogin")
	if err != nil {
		t.Skip("kubelogin is missing: put its binary into PATH")
	}
	p := prepare(t)
	block, lines := preset(t, p, "kubernetes", "https://k8s.example.com")
	p.serve(block)
	flags, ok := strings.CutPrefix(lines[1], "kubectl oidc-login setup ")
	if !ok {
		t.Fatalf("the preset prints %q", lines)
	}
	v := newVisitor(t)
	call := func(command string, more ...string) (output, log string) {
		var out, said buffer
		c := exec.Command(path, append(append([]string{command}, strings.Fields(flags)...), append(more, "--skip-open-browser", "--authentication-timeout-sec=60")...)...)
		c.Env, c.Stdout, c.Stderr = append(os.Environ(), "HOME="+p.dir), &out, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for opened := false; ; {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v\n%s%s", err, &out, &said)
				}
				return out.String(), said.String()
			case <-time.After(50 * time.Millisecond):
				if link := regexp.MustCompile(`http://\S+:8000/?`).FindString(said.String()); link != "" && !opened {
					opened = true
					v.open(link)
				}
			}
		}
	}
	if out, log := call("setup"); !strings.Contains(out+log, address) {
		t.Errorf("setup says %s%s", out, log)
	}
	token := func(more ...string) string {
		out, log := call("get-token", more...)
		var credential struct{ Status struct{ Token string } }
		if err := json.Unmarshal([]byte(out), &credential); err != nil || credential.Status.Token == "" {
			t.Fatalf("%v: %s%s", err, out, log)
		}
		return credential.Status.Token
	}
	first := token()
	if kept := token(); kept != first {
		t.Error("the second call has another token")
	}
	if fresh := token("--force-refresh"); fresh == first {
		t.Error("the token was not refreshed")
	}
	if v.signed != 1 {
		t.Errorf("asked for a password %d times", v.signed)
	}
}
