package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The roles in which this program starts itself.
const (
	rolePortico = "as-portico"
	roleSession = "as-session-limit"
	roleRead    = "as-read-limit"
	roleStatic  = "as-static-limit"
	roleHash    = "as-hash-limit"
	roleOpenID  = "as-openid-limit"
	roleProxy   = "as-proxy-limit"
	roleApp     = "as-app"
)

func roles() map[string]func(context.Context, []string) error {
	return map[string]func(context.Context, []string) error{
		rolePortico: portico,
		roleSession: sessionLimit,
		roleRead:    readLimit,
		roleStatic:  staticLimit,
		roleHash:    hashLimit,
		roleOpenID:  openIDLimit,
		roleProxy:   proxyLimit,
		roleApp:     upstreamApp,
	}
}

// serveLimit serves on a free port, prints the address, and ends when standard
// input closes. A limit then never outlives the process that started it.
func serveLimit(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = l.Close()
	}()
	fmt.Println(l.Addr())
	_ = http.Serve(l, h) // ends when the listener is closed
	return nil
}

// limit starts this program in a role and returns its address.
func (b *bench) limit(ctx context.Context, role string, args ...string) (*process, string, error) {
	p, err := start(ctx, filepath.Join(b.dir, role+".log"), nil, b.self, append([]string{role}, args...)...)
	if err != nil {
		return nil, "", err
	}
	addr, err := p.out.ReadString('\n')
	if err != nil {
		<-p.ended
		return nil, "", p.failure()
	}
	return p, strings.TrimSpace(addr), nil
}

// number returns an argument of a role as a number.
func number(args []string, i int) (int, error) {
	if i >= len(args) {
		return 0, fmt.Errorf("argument %d is missing", i+1)
	}
	return strconv.Atoi(args[i])
}
