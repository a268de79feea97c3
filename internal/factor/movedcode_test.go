package factor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is compared with the hash of a code from another system, by how that hashed it.
func TestRecoveryCode_Spellings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		as    Spelling
		typed string
		want  []string
	}{
		{Clear, " aBcd-12 34 ", []string{"ABCD1234"}},
		{There, " aBcd-12 34 ", []string{"aBcd-12 34", "aBcd1234"}},
		{There, "ABCD1234", []string{"ABCD1234"}},
		{Kept, "abcd-1234", []string{"ABCD1234", "abcd-1234", "abcd1234"}},
		{Ours, "0abc defg h1jk lmn8", []string{"OABCDEFGHIJKLMNB"}},
		{Ours, "abcd-1234", nil},
	} {
		if diff := cmp.Diff(tt.want, Moved("mara", 7, tt.as, "hash").spellings(tt.typed)); diff != "" {
			t.Errorf("%s %q: %s", tt.as, tt.typed, diff)
		}
	}
	if own := (RecoveryCode{Selector: "OA"}); own.moved() || own.spellings("OABC-DEFG-HIJK-LMNB") == nil || own.spellings("PABC-DEFG-HIJK-LMNB") != nil {
		t.Error("a code of ours is selected by its first characters")
	}
}

func TestHashClear(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"bbbb2222": true, "ABCD-EFGH-IJKL": true, strings.Repeat("a", 64): true,
		"": false, "12-34-5": false, strings.Repeat("a", 65): false, "abc\x00defg": false,
	} {
		hash, ok := HashClear(text)
		if again, _ := HashClear(text); ok != fine || ok && (hash == again || strings.Contains(hash, text)) {
			t.Errorf("%q: %s %v", text, hash, ok)
		}
	}
}
