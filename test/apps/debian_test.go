package apps

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// need skips a test whose program is missing.
func need(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is missing: run tools/apps", path)
	}
}

// Apache's mod_auth_openidc, a certified client. It is told by the back channel when the
// session ends elsewhere.
func TestApache(t *testing.T) {
	t.Parallel()
	const modules = "/usr/lib/apache2/modules/mod_"
	need(t, modules+"auth_openidc.so")
	port := freePort(t)
	here := "http://127.0.0.1:" + port
	back := here + "/in/redirect"
	c := client{ID: "apache", Secret: "a secret of Apache, in the tests", Redirect: back, Logout: here + "/out.html", Told: back + "?logout=backchannel", More: allScopes}
	p := start(t, c)
	dir := t.TempDir()
	page := `user=<!--#echo var="REMOTE_USER" --> email=<!--#echo var="OIDC_CLAIM_email" --> name=<!--#echo var="OIDC_CLAIM_name" -->`
	for file, text := range map[string]string{
		"in/index.shtml": page, "out.html": "signed out of Apache",
		"httpd.conf": fmt.Sprintf(`ServerRoot %[1]s
ServerName 127.0.0.1
User www-data
Group www-data
PidFile %[1]s/pid
Listen 127.0.0.1:%[2]s
ErrorLog %[1]s/error.log
DefaultRuntimeDir %[1]s
LoadModule mpm_event_module %[3]smpm_event.so
LoadModule authn_core_module %[3]sauthn_core.so
LoadModule authz_core_module %[3]sauthz_core.so
LoadModule authz_user_module %[3]sauthz_user.so
LoadModule dir_module %[3]sdir.so
LoadModule mime_module %[3]smime.so
LoadModule include_module %[3]sinclude.so
LoadModule auth_openidc_module %[3]sauth_openidc.so
DocumentRoot %[1]s
TypesConfig /dev/null
DirectoryIndex index.shtml
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
LogLevel info auth_openidc:info
OIDCProviderMetadataURL %[4]s/.well-known/openid-configuration
OIDCClientID apache
OIDCClientSecret "%[5]s"
OIDCRedirectURI %[6]s
OIDCCryptoPassphrase "a passphrase of the tests"
OIDCScope "openid email profile offline_access"
OIDCPKCEMethod S256
OIDCRefreshAccessTokenBeforeExpiry 3000
OIDCCookieSameSite On
<Directory %[1]s>
  Options +Includes
  Require all granted
</Directory>
<Location /in/>
  AuthType openid-connect
  Require valid-user
</Location>
`, dir, port, modules, p.origin, c.Secret, back),
	} {
		path := filepath.Join(dir, file)
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opened(t, dir)
	var log buffer
	apache := exec.Command("/usr/sbin/apache2", "-f", filepath.Join(dir, "httpd.conf"), "-D", "FOREGROUND")
	apache.Stdout, apache.Stderr = &log, &log
	run(t, apache)
	await(t, here+"/out.html", &log)
	t.Cleanup(func() {
		if text, _ := os.ReadFile(filepath.Join(dir, "error.log")); t.Failed() {
			t.Logf("%.4000s", text)
		}
	})

	v := newVisitor(t)
	v.sees(here+"/in/", "user=", "email="+address, "name="+name)
	v.sees(here+"/in/", "email="+address) // with the session of Apache, and a refreshed token
	leave := back + "?logout=" + url.QueryEscape(c.Logout)
	v.sees(leave, "signed out of Apache")
	v.sees(here+"/in/", "email="+address)
	if v.signed != 2 {
		t.Errorf("asked for a password %d times", v.signed)
	}
	for _, command := range []string{"disable", "enable"} { // ends all sessions
		if out, err := p.command("user", command, address).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for v.signed == 2 && !t.Failed() { // the back channel may take a second
		v.sees(here+"/in/", "email="+address)
	}
}

// opened lets Apache's user read a folder of the test.
func opened(t *testing.T, dir string) {
	t.Helper()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// Authlib of Python.
func TestAuthlib(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import authlib, requests").Run() != nil {
		t.Skip("Authlib is missing: run tools/apps")
	}
	here := "http://127.0.0.1:" + freePort(t)
	back := here + "/callback"
	c := client{ID: "authlib", Secret: "a secret of Authlib, in the tests", Redirect: back, Logout: here + "/out", Told: here + "/told", More: allScopes}
	p := start(t, c)
	cmd := exec.Command(python, "authlib_app.py", p.origin, c.ID, c.Secret, back, address, password)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "signed in as "+address+", refreshed, signed out, revoked") {
		t.Errorf("%v\n%s", err, out)
	}
}

// OmniAuth of Ruby, with the gem of GitLab and the arguments that the preset prints.
func TestOmniAuth(t *testing.T) {
	t.Parallel()
	const ruby = "/usr/bin/ruby"
	if exec.Command(ruby, "-e", "require 'omniauth_openid_connect'; require 'webrick'").Run() != nil {
		t.Skip("OmniAuth is missing: run tools/apps")
	}
	here := "http://127.0.0.1:" + freePort(t)
	p := prepare(t)
	block, lines := preset(t, p, "omniauth", here)
	p.serve(block)
	if out, err := p.command("user", "set-roles", address, "admin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var log buffer
	app := logged(exec.Command(ruby, "omniauth_app.rb", here), &log)
	app.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	run(t, app)
	await(t, here, &log)
	newVisitor(t).sees(here+"/auth/openid_connect", `"Email":"`+address+`"`, `"Name":"`+name+`"`, `"Groups":["admin"]`)
}
