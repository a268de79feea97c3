package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
)

// page is a stored answer of the product.
type page struct {
	Path   string      `json:"path"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// staticLimit serves stored answers byte for byte, from a map.
func staticLimit(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("name the file of the pages")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var pages []page
	if err := json.Unmarshal(text, &pages); err != nil {
		return err
	}
	known := map[string]page{}
	for _, p := range pages {
		known[p.Path] = p
	}
	return serveLimit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := known[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h := w.Header()
		for name, value := range p.Header {
			h[name] = value
		}
		_, _ = w.Write(p.Body)
	}))
}
