package breach

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func load(t testing.TB) *Filter {
	t.Helper()
	filter, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return filter
}

// ASVS 6.2.4: at least the 3,000 most common passwords of the policy's length.
func TestContains_MostCommon(t *testing.T) {
	t.Parallel()
	filter := load(t)
	sample, err := os.ReadFile("testdata/common.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(sample))
	if len(words) < 3000 {
		t.Fatalf("the sample has %d words, want 3000", len(words))
	}
	for _, word := range words {
		for _, spelling := range []string{word, strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:]} {
			if !filter.Contains(spelling) {
				t.Errorf("%q is not on the list", spelling)
			}
		}
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	filter := load(t)
	for _, test := range []struct {
		password string
		want     bool
	}{
		{"12345678", true},
		{"qwertyuiop", true},
		{"PassWord1", true},
		{"iloveyou", true},
		{"vjht1051", true}, // near the end of the list
		{"Montag", true},   // a word to which people append a number
		{"", false},
		{"123456", false},
		{"123456 78", false},
		{"12345678 ", false},
		{"quilt zebra violin moss", false},
		{"kx9vq2hbw7trm4z", false},
	} {
		if got := filter.Contains(test.password); got != test.want {
			t.Errorf("Contains(%q) = %v, want %v", test.password, got, test.want)
		}
	}
}

func TestKey_OneForEveryForm(t *testing.T) {
	t.Parallel()
	if Key("CAFÉ-CRÈME") != Key(norm.NFD.String("café-crème")) {
		t.Error("the composed and the decomposed form have different keys")
	}
}

// The limit is one in 1,000; 16 bits give about one in 65,000. Measured: 19 in
// a million.
func TestContains_FalsePositives(t *testing.T) {
	t.Parallel()
	filter := load(t)
	const tries, most = 1_000_000, 1_000
	random := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range tries {
		if filter.Contains(fmt.Sprintf("%x-%x", random.Uint64(), random.Uint64())) {
			wrong++
		}
	}
	t.Logf("%d of %d random passwords are taken for listed ones", wrong, tries)
	if wrong >= most {
		t.Errorf("%d false positives in %d, want fewer than %d", wrong, tries, most)
	}
}

func TestOpen_BrokenFile(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"empty":         "",
		"header only":   embedded[:28],
		"cut":           embedded[:len(embedded)-2],
		"longer":        embedded + "\x00\x00",
		"all zero":      strings.Repeat("\x00", 64),
		"other segment": embedded[:8] + "\x00\x00\x01\x00" + embedded[12:],
	} {
		if _, err := open(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b).fuse()
	}
}

func BenchmarkContains(b *testing.B) {
	filter := load(b)
	for b.Loop() {
		filter.Contains("quilt zebra violin moss")
	}
}
