package screens

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"portico/web"
)

// A text of the operator is in the document, and nothing in it is an action.
func TestMarked_TextOfTheOperator(t *testing.T) {
	t.Parallel()
	replaced, wrong, _ := messages(t).Replace(fstest.MapFS{"de.json": file(`{"signin.submit": "Los {"}`)}, nil)
	built, err := fs.ReadFile(web.Dist, "documents/signin.html")
	if wrong != nil || err != nil {
		t.Skip("the screens are not built: run make build")
	}
	text, err := marked(string(built), replaced, "de")
	if err != nil || !strings.Contains(text, ">Los &#123;<") || !strings.Contains(text, `<html lang="de">`) {
		t.Errorf("the text is not in the document: %v", err)
	}
}
