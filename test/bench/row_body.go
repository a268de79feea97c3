package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const pourPath = "/pour"

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// pour is an app that reads or sends a body of any length.
func pour(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n)
		return
	}
	w.Header().Set("Content-Length", r.URL.RawQuery)
	n, _ := strconv.ParseInt(r.URL.RawQuery, 10, 64)
	_, _ = io.CopyN(w, zeros{}, n)
}

// bodies passes one large body each way.
func bodies(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, server, _, stop, err := b.behind(ctx, e)
	if err != nil {
		return nil, err
	}
	defer stop()
	time.Sleep(b.settle)
	head := strings.TrimSuffix(string(get(pourPath+"?"+strconv.FormatInt(b.pour, 10), sessionCookie+"="+token(0))), "\r\n")
	var figures []figure
	for _, way := range []struct {
		name string
		pass func(c *conn, head string, length int64) (int64, error)
	}{{"download", download}, {"upload", upload}} {
		peak, took, err := b.passBody(server, i.listen, func(c *conn) (int64, error) { return way.pass(c, head, b.pour) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", way.name, err)
		}
		figures = append(figures, figure{
			name: "memory added by the " + way.name, product: fmt.Sprintf("%d MiB at %.0f MiB/s", b.pour>>20, float64(b.pour)/(1<<20)/took.Seconds()),
			value: spreadOf([]float64{peak}), unit: "MiB", aim: 16,
		})
	}
	return figures, nil
}

// passBody returns the peak memory that one body adds, in MiB, and its time.
func (b *bench) passBody(server *process, addr string, pass func(*conn) (int64, error)) (float64, time.Duration, error) {
	before, err := server.memory("VmRSS")
	if err != nil {
		return 0, 0, err
	}
	// A 5 resets the peak to the present value (man 5 proc).
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", server.cmd.Process.Pid), []byte("5"), 0); err != nil {
		return 0, 0, err
	}
	c, err := dial(addr)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	began := time.Now()
	n, err := pass(c)
	took := time.Since(began)
	if err == nil && n != b.pour {
		err = fmt.Errorf("%d of %d bytes came through", n, b.pour)
	}
	if err != nil {
		return 0, 0, err
	}
	peak, err := server.memory("VmHWM")
	return max(0, peak-before), took, err
}

func download(c *conn, head string, _ int64) (int64, error) {
	if _, err := io.WriteString(c, head+"\r\n"); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return io.Copy(io.Discard, answer.Body)
}

func upload(c *conn, head string, length int64) (n int64, err error) {
	head = "POST" + strings.TrimPrefix(head, "GET") + "Content-Length: " + strconv.FormatInt(length, 10) + "\r\n\r\n"
	if _, err := io.WriteString(c, head); err != nil {
		return 0, err
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{c}, io.LimitReader(zeros{}, length), make([]byte, 64<<10)); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = fmt.Fscan(answer.Body, &n)
	return n, err
}
