package apps

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// Dex as a broker, with the settings that the preset prints. It needs the claim name, which the account
// does not have.
func TestDex(t *testing.T) {
	t.Parallel()
	path := program(t, "./dex")
	here := "http://127.0.0.1:" + freePort(t)
	p := prepare(t)
	block, lines := preset(t, p, "dex", here)
	p.serve(block)
	for _, change := range [][]string{{"set-name", address, ""}, {"set-roles", address, "admin"}} {
		if out, err := p.command(append([]string{"user"}, change...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	settings := map[string]any{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, ": ")
		switch list, is := strings.CutPrefix(value, "["); {
		case is:
			settings[key] = strings.Split(strings.TrimSuffix(list, "]"), ", ")
		case value == "true":
			settings[key] = true
		default:
			settings[key] = value
		}
	}
	input, _ := json.Marshal(settings)
	var log buffer
	dex := logged(exec.Command(path, strings.TrimPrefix(here, "http://")), &log)
	dex.Stdin = strings.NewReader(string(input))
	run(t, dex)
	await(t, here, &log)
	v := newVisitor(t)
	text := v.sees(here+"/login", address)
	var user struct {
		Username, PreferredUsername, Email string
		EmailVerified                      bool
		Groups                             []string
	}
	if err := json.Unmarshal([]byte(text), &user); err != nil || user.Username != address || user.Email != address || !user.EmailVerified || len(user.Groups) != 1 || user.Groups[0] != "admin" {
		t.Errorf("%v: Dex knows %s\n%s", err, text, &log)
	}
}
