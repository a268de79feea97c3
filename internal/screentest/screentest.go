// Package screentest makes front ends for tests, so that no test needs the built
// screens. It knows the names of their documents and nothing of their content.
package screentest

import (
	"io/fs"
	"testing/fstest"

	"portico/internal/server/screens"
)

// Documents returns a front end whose screens are all the given template. The
// caller may change it.
func Documents(document string) fstest.MapFS {
	files := fstest.MapFS{"documents/manifest.json": {Data: []byte("{}")}, "assets": {Mode: fs.ModeDir}, "documents/keys.json": {Data: []byte("{}")}}
	for _, name := range screens.Names() {
		files["documents/"+name+".html"] = &fstest.MapFile{Data: []byte(document)}
	}
	files["documents/admin.html"] = &fstest.MapFile{Data: []byte(`<title>{{html .brand.name}}</title><script type="application/json" id="boot">{{.boot}}</script>`)}
	files["documents/leaving.html"] = &fstest.MapFile{Data: []byte(`<meta http-equiv="refresh" content="0;url={{html .next}}">` + document)}
	return files
}
