package account_test

import (
	"strings"
	"testing"

	"portico/internal/account"
)

func TestQuery_Checked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		q     account.Query
		text  string
		field string // that is wrong, "" for none
	}{
		"everyone":              {q: account.Query{}},
		"an address":            {q: account.Query{By: account.ByAddress, Text: " Mara@Example.org"}, text: "mara@example.org"},
		"half an address":       {q: account.Query{By: account.ByAddress, Text: "mara"}, field: "q"},
		"a beginning":           {q: account.Query{By: account.ByAddressPrefix, Text: "MaRa%"}, text: "mara%"},
		"a name":                {q: account.Query{By: account.ByNamePrefix, Text: "O\u0308mer "}, text: "ömer"},
		"a text of no kind":     {q: account.Query{Text: "mara"}, field: "q"},
		"a kind without a text": {q: account.Query{By: account.ByNamePrefix}, field: "q"},
		"only blanks":           {q: account.Query{By: account.ByNamePrefix, Text: " \u200b"}, field: "q"},
		"a long text":           {q: account.Query{By: account.ByNamePrefix, Text: strings.Repeat("x", 801)}, field: "q"},
		"another kind":          {q: account.Query{By: "phone", Text: "1"}, field: "by"},
		"another state":         {q: account.Query{State: "gone"}, field: "state"},
		"another factor":        {q: account.Query{Factors: "sms"}, field: "factor"},
		"a long cursor":         {q: account.Query{After: strings.Repeat("x", 2049)}, field: "after"},
		"too many":              {q: account.Query{Limit: 501}, field: "limit"},
		"none":                  {q: account.Query{Limit: -1}, field: "limit"},
	} {
		if c.q.Limit == 0 {
			c.q.Limit = 25
		}
		got, bad := c.q.Checked()
		switch {
		case c.field == "" && (bad != nil || got.Text != c.text):
			t.Errorf("%s: %q (%v), want %q", name, got.Text, bad, c.text)
		case c.field != "" && (bad == nil || bad.Name != c.field):
			t.Errorf("%s: %v, want a fault of %s", name, bad, c.field)
		}
	}
}
