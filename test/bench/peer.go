package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// peer is another proxy in front of the app. It checks no session.
type peer struct {
	*process
	name string
	addr string
	aim  float64 // of the product's throughput divided by the peer's, 0 for none
}

const caddyfile = `{
	admin off
	auto_https off
	storage file_system DIR
}
http://:PORT {
	bind 127.0.0.1
	reverse_proxy APP {
		transport http {
			keepalive_idle_conns_per_host 256
		}
	}
}
`

const nginxConf = `daemon off;
worker_processes auto;
pid DIR/nginx.pid;
error_log stderr;
events { worker_connections 4096; }
http {
	access_log off;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
	keepalive_requests 1000000;
	upstream app { server APP; keepalive 256; keepalive_requests 1000000; }
	server {
		listen 127.0.0.1:PORT;
		location / {
			proxy_pass http://app;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_set_header Host $host;
		}
	}
}
`

// peers starts the installed proxies.
func (b *bench) peers(ctx context.Context, app string) ([]peer, error) {
	var all []peer
	for _, p := range []struct {
		name, program, file, text string
		args                      []string
		aim                       float64
	}{
		{"Caddy", "caddy", "Caddyfile", caddyfile, []string{"run", "--adapter", "caddyfile", "--config"}, 1},
		{"nginx", "nginx", "nginx.conf", nginxConf, []string{"-e", "stderr", "-c"}, 0},
	} {
		program, ok := find(p.program)
		if !ok {
			progress("%s is not installed and not measured: tools/proxies installs it", p.name)
			continue
		}
		started, err := b.peer(ctx, program, p.file, strings.NewReplacer("APP", app).Replace(p.text), p.args)
		if err != nil {
			for _, other := range all {
				other.stop()
			}
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		started.name, started.aim = p.name, p.aim
		all = append(all, started)
	}
	return all, nil
}

func (b *bench) peer(ctx context.Context, program, file, text string, args []string) (peer, error) {
	addr, err := freePort()
	if err != nil {
		return peer{}, err
	}
	dir, err := os.MkdirTemp(b.dir, "peer")
	if err != nil {
		return peer{}, err
	}
	config := filepath.Join(dir, file)
	_, port, _ := strings.Cut(addr, ":")
	if err := os.WriteFile(config, []byte(strings.NewReplacer("DIR", dir, "PORT", port).Replace(text)), 0o600); err != nil {
		return peer{}, err
	}
	p, err := start(ctx, filepath.Join(dir, "log"), []string{"HOME=" + dir}, program, append(args, config)...)
	if err != nil {
		return peer{}, err
	}
	return peer{process: p, addr: addr}, p.await(addr, get("/page", ""))
}

// find looks for a program, also where Debian keeps servers.
func find(name string) (string, bool) {
	for _, candidate := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, true
		}
	}
	return "", false
}
