package security

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/testform"
)

// full reports whether every sample and round is asked for.
func full() bool { return testform.Full() }

// rounds is the number of rounds or samples in the short and in the full form.
// The race detector makes hashing many times slower, and is no place for
// figures.
func rounds(quick, all int) int {
	switch {
	case full():
		return all
	case raceDetector:
		return max(1, quick/4)
	}
	return quick
}

// missing is what the product does not have yet, and the numbers that wait for
// it. A number leaves this table when its feature comes; the test of the
// catalogue then asks for its test.
func missing() map[string][]string {
	return map[string][]string{
		"no change of the address in an account": {"006", "128"},
		"no second factor":                       {"016", "024", "034", "036", "037", "063", "093", "094", "096", "097", "098", "099", "100", "102"},
		"no passkeys":                            {"038", "103", "104", "105", "107", "108", "109"},
		"no unlinking of providers":              {"124"},
		"Portico is no OpenID provider yet":      {"130", "131", "132", "133", "134", "135", "136", "137", "139", "140", "141", "142", "143", "145"},
		"no admin page or admin API":             {"167"},
		"no invitations":                         {"168"},
		"no export":                              {"173"},
	}
}

// corpus are the numbers that exist; the others are reserved.
const corpus = `001 002 003 004 005 006 009 010 011 012 014 015 016 018 019 021 023 024 025 026 027 028 029 030 031 032 033 034
201 202 203 204 205 206
036 037 038 040 041 042 043 044 046 047 048 049 050 051 053 054 055 056 057 058 060 061 062 063 064 065 066 067 068 070 071 072
073 074 075 076 077 078 080 081 082 083 084 085 086 087 088 089 092 093 094 095 096 097 098 099 100 102 103 104 105 107 108 109
110 111 112 113 114 115 116 117 120 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 139 140 141 142 143 145 146
147 148 149 150 152 153 155 156 157 158 159 160 162 163 164 165 167 168 169 170 171 172 173 174 175 176 177 179 180 181 182 183
184 186 187 188 190 210 211 212 213 214 215 216
220 221 222 223 224 225 226 227 228 229 230
235 236 237 238 239 240 241
250 251 252 253 254`

// TestMain prints what is not there, so that nobody takes silence for a pass.
func TestMain(m *testing.M) {
	for _, reason := range slices.Sorted(maps.Keys(missing())) {
		fmt.Printf("n/a: SEC-%s: %s\n", strings.Join(missing()[reason], " "), reason)
	}
	os.Exit(m.Run())
}

// TestCatalogue holds that each number has a test or a reason, and not both.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	tested := map[string]string{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^func (TestSEC([0-9]{3})_\w+)\(`)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			tested[m[2]] = m[1]
		}
	}
	absent := map[string]string{}
	for reason, numbers := range missing() {
		for _, n := range numbers {
			absent[n] = reason
		}
	}
	known := strings.Fields(corpus)
	for _, n := range known {
		switch test, reason := tested[n], absent[n]; {
		case test == "" && reason == "":
			t.Errorf("SEC-%s has neither a test nor a reason why not", n)
		case test != "" && reason != "":
			t.Errorf("SEC-%s is tested by %s and missing because of %q", n, test, reason)
		}
	}
	for n, test := range tested {
		if !slices.Contains(known, n) {
			t.Errorf("%s has a number that the corpus does not know", test)
		}
	}
	t.Logf("%d of %d numbers are tested, %d are n/a", len(tested), len(known), len(absent))
}
