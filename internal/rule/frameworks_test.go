package rule

import (
	"os"
	"regexp"
	"testing"
)

// What docs/integrating/frameworks.md makes public are the files that each build writes, and nothing that runs code.
func TestSet_FilesOfFrameworks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/integrating/frameworks.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`(?s)name what is public(.+?)and end with`).FindSubmatch(page)
	if said == nil {
		t.Fatal("the page names no public paths")
	}
	text := "public GET /; "
	for _, path := range regexp.MustCompile(`/\w[\w/]*/\*`).FindAllString(string(said[1]), -1) {
		text += "public GET " + path + "; "
	}
	s := set(t, "/", text+"signed-in /*")
	for path, public := range map[string]bool{
		"/_next/static/chunks/main.js": true, "/_next/image": false, "/_next/data/build/editor.json": false, // Next.js
		"/assets/root.js": true, "/editor.data": false, "/__manifest": false, // React Router
		"/_app/immutable/start.js": true, "/_app/remote/1a2b/secret": false, "/editor/__data.json": false, // SvelteKit
		"/_astro/page.css": true, "/_image": false, "/_actions/save": false, "/_server-islands/Editor": false, // Astro
		"/_nuxt/entry.js": true, "/editor/_payload.json": false, "/__nuxt_island/Editor.json": false, "/_ipx/w_9/editor.png": false, // Nuxt
	} {
		if r, _, ok := s.Match(Method("GET", false), path); !ok || r.Need.Public != public {
			t.Errorf("%s is public: %t", path, !public)
		}
	}
}
