package client_test

import (
	"bufio"
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	client "portico.internal/clients/go"
	"portico.internal/clients/go/clienttest"
)

// try runs the real `portico dev` before an app until the test ends.
func try(t *testing.T, app string) clienttest.Trial {
	t.Helper()
	binary, err := filepath.Abs(cmp.Or(os.Getenv("PORTICO_BIN"), "../../bin/portico"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("there is no program: run make build")
	}
	dev := exec.Command(binary, "dev")
	dev.Dir = t.TempDir()
	dev.Env = append(os.Environ(), "PORTICO_LISTEN=127.0.0.1:0", "PORTICO_UPSTREAM="+app, "PORTICO_RULES=role:admin /admin/*, fresh:1h /fresh, signed-in /*")
	printed, err := dev.StdoutPipe()
	if err == nil {
		err = dev.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = dev.Process.Signal(os.Interrupt)
		_ = dev.Wait()
	})
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if found := regexp.MustCompile(`Sign in +(http://localhost:\d+)/`).FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, printed) }()
			return clienttest.Trial(found[1])
		}
	}
	t.Fatal("portico dev has ended")
	return ""
}

// A test signs in at the real program, and the app behind it sees who it is.
func TestTrial(t *testing.T) {
	t.Parallel()
	var portico *client.Client
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _, err := portico.Identify(r)
		if err != nil {
			who.ID = err.Error()
		}
		_, _ = io.WriteString(w, strings.Join(append([]string{who.ID, who.Email}, slices.Concat(who.Roles, who.Methods)...), " "))
	}))
	defer app.Close()
	trial := try(t, app.URL)
	var err error
	if portico, err = client.New(string(trial), client.Options{}); err != nil {
		t.Fatal(err)
	}
	open := func(browser *http.Client, path string) (int, string) {
		answer, err := browser.Get(string(trial) + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	admin, mara := trial.SignIn(t, clienttest.Wanted{Roles: []string{"admin"}, ACR: "2"})
	if status, text := open(admin, "/admin/"); status != 200 || text != mara.ID+" "+mara.Email+" admin password totp" || mara.ACR != "2" {
		t.Errorf("the app sees %d %q of %+v", status, text, mara)
	}
	guest, ben := trial.SignIn(t, clienttest.Wanted{Age: "2h", Name: "Ben", Claims: map[string]any{"quota": 5}})
	if status, _ := open(guest, "/admin/"); status != 403 || ben.ID == mara.ID || ben.Name != "Ben" {
		t.Errorf("another person is %+v, and is answered %d", ben, status)
	}
	if status, text := open(guest, "/fresh"); status != 200 || strings.Contains(text, ben.ID) {
		t.Errorf("an old sign-in reaches the app: %d %.100s", status, text)
	}
	if _, now := trial.SignIn(t, clienttest.Wanted{Email: mara.Email, Roles: []string{}}); now.ID != mara.ID || len(now.Roles) > 0 {
		t.Errorf("without roles, the person is %+v", now)
	}

	form := url.Values{"email": {ben.Email}}
	r, err := http.NewRequest("POST", string(trial)+"/auth/forgot-password", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", string(trial))
	answer, err := guest.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if m := trial.NextMail(t, ben.Email, ben.Mail); len(m.Code) != 6 || len(m.Links) == 0 || m.To[0] != ben.Email {
		t.Errorf("the email is %+v", m)
	}

	before := time.Now()
	if now := trial.MoveClock(t, "1d"); now.Sub(before) < 24*time.Hour {
		t.Errorf("it is %v, and was %v", now, before)
	}
	if status, text := open(admin, "/"); status != 200 || !strings.HasPrefix(text, mara.ID) {
		t.Errorf("a day later the app sees %d %q", status, text)
	}
}
