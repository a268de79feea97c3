package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/andybalholm/brotli"
)

// signInPage loads the sign-in page as a new browser does.
func signInPage(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return nil, err
	}
	server, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	pages, err := i.firstPaint(ctx)
	if err != nil {
		return nil, err
	}
	limit, addr, err := b.static(ctx, pages)
	if err != nil {
		return nil, err
	}
	defer limit.stop()
	load := func(p *process, addr string) side {
		return func(ctx context.Context, _ int) (reading, error) {
			return drive(ctx, p, addr, checkers, b.round, whole(pages))
		}
	}
	all, err := interleave(ctx, b.rounds, load(server, i.listen), load(limit, addr))
	if err != nil {
		return nil, err
	}
	size := 0
	for _, p := range pages {
		size += len(p.Body)
	}
	rate := rateAgainst(all[0], all[1])
	rate.name, rate.aim = fmt.Sprintf("pages of %d answers, %d bytes", len(pages), size), 0.8
	return []figure{rate, costAgainst("the same bytes from a map", all[0], all[1])}, nil
}

// whole loads every part of the page.
func whole(pages []page) work {
	var requests [][]byte
	for _, p := range pages {
		requests = append(requests, get(p.Path, ""))
	}
	return func(c *conn) (bool, error) {
		for n, request := range requests {
			a, err := c.do(request)
			if err != nil {
				return false, err
			}
			if len(a.body) != len(pages[n].Body) {
				return false, fmt.Errorf("%s has %d bytes instead of %d", pages[n].Path, len(a.body), len(pages[n].Body))
			}
		}
		return true, nil
	}
}

// assetIn finds the assets that the document loads. Its style and pictures are
// in the document.
var assetIn = regexp.MustCompile(`(?:src|href)="(/auth/assets/[^"]+)"`)

// firstPaint returns the product's answers for the page and its assets.
func (i *installation) firstPaint(ctx context.Context) ([]page, error) {
	document, err := i.fetch(ctx, "/auth/signin")
	if err != nil {
		return nil, err
	}
	pages, paths := []page{document}, []string{document.Path}
	text, err := document.plain()
	if err != nil {
		return nil, err
	}
	for _, found := range assetIn.FindAllSubmatch(text, -1) {
		path := string(found[1])
		if slices.Contains(paths, path) {
			continue
		}
		part, err := i.fetch(ctx, path)
		if err != nil {
			return nil, err
		}
		pages, paths = append(pages, part), append(paths, path)
	}
	return pages, nil
}

// fetch stores an answer of the product.
func (i *installation) fetch(ctx context.Context, path string) (page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+i.listen+path, nil)
	if err != nil {
		return page{}, err
	}
	request.Host = publicHost
	request.Header.Set("Accept-Encoding", "gzip, br")
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return page{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s gets status %d", path, response.StatusCode)
	}
	response.Header.Del("Date") // net/http adds its own
	response.Header.Del("Connection")
	return page{path, response.Header, body}, err
}

// plain returns the body without its compression.
func (p page) plain() ([]byte, error) {
	if p.Header.Get("Content-Encoding") != "br" {
		return nil, errors.New("the document is not compressed with brotli")
	}
	return io.ReadAll(brotli.NewReader(bytes.NewReader(p.Body)))
}

// static starts the limit that serves the pages.
func (b *bench) static(ctx context.Context, pages []page) (*process, string, error) {
	text, err := json.Marshal(pages)
	if err != nil {
		return nil, "", err
	}
	file := filepath.Join(b.dir, "pages.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, "", err
	}
	return b.limit(ctx, roleStatic, file)
}
