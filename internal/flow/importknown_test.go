package flow_test

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/store/sqlitetest"
)

// A known password shows that the parameters of the hashes are right. Before it fits, nobody can be imported, not even with
// skipped lines.
func TestImportJob_KnownPassword(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	text, err := os.ReadFile("../people/testdata/firebase.json")
	if err != nil {
		t.Fatal(err)
	}
	right := map[string]string{
		"mem_cost": "14", "rounds": "8", "salt_separator": "Bw==",
		"signer_key": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
	}
	wrong := maps.Clone(right)
	wrong["rounds"] = "7"
	for name, c := range map[string]struct {
		parameters map[string]string
		known      flow.Known
		field, why string
	}{
		"wrong parameters": {wrong, flow.Known{Email: "mara@example.com", Password: "user1password"}, "known_password", "does not fit its hash"},
		"wrong password":   {right, flow.Known{Email: "mara@example.com", Password: "user2password"}, "known_password", "does not fit its hash"},
		"no parameters":    {nil, flow.Known{Email: "mara@example.com", Password: "user1password"}, "known_email", "does not have the parameter mem_cost"},
		"no hash":          {right, flow.Known{Email: "noah@example.com", Password: "user1password"}, "known_password", "has none in the file"},
		"nobody":           {right, flow.Known{Email: "nobody@example.com", Password: "user1password"}, "known_email", "nobody in it"},
		"not an address":   {right, flow.Known{Email: "Mara"}, "known_email", "nobody in it"},
		"right":            {right, flow.Known{Email: "MARA@example.com", Password: "user1password"}, "", ""},
		"nobody known":     {wrong, flow.Known{}, "", ""},
	} {
		by := d.by()
		draft, err := d.Operator.OpenImport(t.Context(), by, flow.ImportOrder{ImportSecrets: flow.ImportSecrets{Parameters: c.parameters, Known: c.known}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Operator.ReadImport(t.Context(), by, draft.ID, strings.NewReader(string(text)))
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if f := fault.From(err); len(f.Fields) != 1 || f.Fields[0].Name != c.field || !strings.Contains(f.Fields[0].Params["why"], c.why) {
			t.Errorf("%s: %+v", name, f)
		}
		if _, err := d.Operator.StartImport(t.Context(), by, draft.ID, true); !errors.Is(err, flow.ImportUnread) {
			t.Errorf("%s: the import begins: %v", name, err)
		}
	}
}
