package apps

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// proxied is oauth2-proxy before an app. In front of it may be a web server that asks
// it about each request.
type proxied struct {
	here, back, upstream string // origins: of the visitor, of oauth2-proxy, of the app
	dir                  string
}

// A proxy that many put before their apps, alone and behind the web servers that its
// documentation names.
func TestOAuth2Proxy(t *testing.T) {
	t.Parallel()
	path := program(t, "github.com/oauth2-proxy/oauth2-proxy/v7")
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _ = json.NewEncoder(w).Encode(r.Header) }))
	t.Cleanup(upstream.Close)
	for name, front := range map[string]func(*testing.T, proxied) *exec.Cmd{"alone": nil, "nginx": nginx, "Caddy": caddy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := proxied{here: "http://127.0.0.1:" + freePort(t), upstream: upstream.URL, dir: t.TempDir()}
			x.back = x.here
			args := []string{"--upstream=" + upstream.URL}
			if front != nil {
				x.back = "http://127.0.0.1:" + freePort(t)
				args = []string{"--upstream=static://202", "--reverse-proxy", "--set-xauthrequest"}
			}
			c := client{ID: "oauth2-proxy", Redirect: x.here + "/oauth2/callback", Logout: x.here + "/oauth2/sign_in"}
			p := prepare(t)
			block, environ := preset(t, p, c.ID, x.here)
			p.serve(block)
			var log buffer
			proxy := logged(oauth2Proxy(path, x, args), &log)
			proxy.Env = append(os.Environ(), environ...)
			run(t, proxy)
			await(t, x.back+"/ping", &log)
			if front != nil {
				run(t, logged(front(t, x), &log))
				await(t, x.here+"/oauth2/userinfo", &log)
			}
			x.comesAndGoes(newVisitor(t), p, c, &log)
		})
	}
}

// oauth2Proxy returns the command, without what the preset prints for its environment.
func oauth2Proxy(path string, x proxied, more []string) *exec.Cmd {
	return exec.Command(path, append(more, "--cookie-secret=0123456789abcdef0123456789abcdef", "--cookie-secure=false", "--cookie-refresh=1s", "--skip-provider-button",
		"--http-address="+strings.TrimPrefix(x.back, "http://"))...)
}

func logged(c *exec.Cmd, log *buffer) *exec.Cmd {
	c.Stdout, c.Stderr = log, log
	return c
}

// comesAndGoes signs in, waits until the session was refreshed and the browser has the
// new one, and signs out.
func (x proxied) comesAndGoes(v *visitor, p *portico, c client, log *buffer) {
	seen := `"X-Forwarded-Email":["` + address + `"]`
	v.sees(x.here+"/", seen)
	first := x.session(v)
	for x.session(v) == first && strings.Count(log.String(), "Refreshing session") < 3 { // a session of more than a second
		v.sees(x.here+"/", seen)
	}
	if v.signed != 1 || x.session(v) == first {
		v.Errorf("asked for a password %d times, and the session has changed: %t\n%s", v.signed, x.session(v) != first, log)
	}
	leave := p.origin + "/auth/openid/logout?" + url.Values{"client_id": {c.ID}, "post_logout_redirect_uri": {c.Logout}}.Encode()
	v.open(x.here + "/oauth2/sign_out?rd=/oauth2/userinfo")
	v.open(leave)
	if v.sees(x.here+"/", seen); v.signed != 2 {
		v.Errorf("after the sign-out, asked for a password %d times\n%s", v.signed, log)
	}
}

func (x proxied) session(v *visitor) string {
	here, _ := url.Parse(x.here)
	for _, c := range v.http.Jar.Cookies(here) {
		if c.Name == "_oauth2_proxy" {
			return c.Value
		}
	}
	v.Fatal("oauth2-proxy has set no session")
	return ""
}

// nginx passes the refreshed session on to the browser: auth_request alone drops it.
func nginx(t *testing.T, x proxied) *exec.Cmd {
	need(t, "/usr/sbin/nginx")
	return exec.Command("/usr/sbin/nginx", "-p", x.dir, "-e", "stderr", "-g", "daemon off;", "-c", x.write(t, "nginx.conf", fmt.Sprintf(`pid pid;
events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {
    listen %s;
    proxy_set_header Host $http_host;
    location /oauth2/ {
      proxy_pass %[2]s;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
    location = /oauth2/auth {
      internal;
      proxy_pass %[2]s;
      proxy_set_header X-Forwarded-Uri $request_uri;
      proxy_set_header Content-Length "";
      proxy_pass_request_body off;
    }
    location / {
      auth_request /oauth2/auth;
      auth_request_set $email $upstream_http_x_auth_request_email;
      auth_request_set $session $upstream_http_set_cookie;
      add_header Set-Cookie $session;
      error_page 401 =302 /oauth2/sign_in?rd=$scheme://$http_host$request_uri;
      proxy_set_header X-Forwarded-Email $email;
      proxy_pass %[3]s;
    }
  }
}
`, strings.TrimPrefix(x.here, "http://"), x.back, x.upstream)))
}

// caddy writes forward_auth out, because the short form drops the refreshed session.
func caddy(t *testing.T, x proxied) *exec.Cmd {
	need(t, "/usr/bin/caddy")
	c := exec.Command("/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", x.write(t, "Caddyfile", fmt.Sprintf(`{
	admin off
	auto_https off
}
%s {
	handle /oauth2/* {
		reverse_proxy %[2]s
	}
	handle {
		reverse_proxy %[2]s {
			method GET
			rewrite /oauth2/auth
			header_up X-Forwarded-Method {method}
			header_up X-Forwarded-Uri {uri}
			@refreshed {
				status 2xx
				header Set-Cookie *
			}
			handle_response @refreshed {
				header Set-Cookie {rp.header.Set-Cookie}
				request_header X-Forwarded-Email {rp.header.X-Auth-Request-Email}
			}
			@good status 2xx
			handle_response @good {
				request_header X-Forwarded-Email {rp.header.X-Auth-Request-Email}
			}
			@bad status 4xx
			handle_response @bad {
				redir * /oauth2/sign_in?rd={scheme}://{hostport}{uri}
			}
		}
		reverse_proxy %[3]s
	}
}
`, x.here, x.back, x.upstream)))
	c.Env = append(os.Environ(), "HOME="+x.dir)
	return c
}

func (x proxied) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(x.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
