package argon2

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	oracle "golang.org/x/crypto/argon2"
)

// each runs a test with every kernel that this processor supports, each in its
// own arena.
func each(t *testing.T, test func(*testing.T, *Arena)) {
	t.Helper()
	for _, k := range kernels() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, &Arena{kernel: k})
		})
	}
}

func derive(t testing.TB, a *Arena, size int, in Input, p Params) string {
	t.Helper()
	tag := make([]byte, size)
	if err := a.Derive(tag, in, p); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(tag)
}

// RFC 9106 5.3, and the test vectors of the reference implementation
// (phc-winner-argon2, test.c).
func TestDerive_Vectors(t *testing.T) {
	t.Parallel()
	rfc := Input{
		Password: bytes.Repeat([]byte{1}, 32), Salt: bytes.Repeat([]byte{2}, 16),
		Secret: bytes.Repeat([]byte{3}, 8), Data: bytes.Repeat([]byte{4}, 12),
	}
	plain := Input{Password: []byte("password"), Salt: []byte("somesalt")}
	each(t, func(t *testing.T, a *Arena) {
		for _, test := range []struct {
			in   Input
			p    Params
			want string
		}{
			{rfc, Params{Memory: 32, Passes: 3, Lanes: 4}, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"},
			{plain, Params{Memory: 256, Passes: 2, Lanes: 1}, "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"},
			{plain, Params{Memory: 256, Passes: 2, Lanes: 2}, "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"},
			{plain, Params{Memory: 65536, Passes: 2, Lanes: 1}, "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"},
		} {
			if got := derive(t, a, 32, test.in, test.p); got != test.want {
				t.Errorf("%+v: %s, want %s", test.p, got, test.want)
			}
		}
	})
}

// The edges: the minimum of memory, memory that the lanes do not divide,
// segments around the 128 addresses of one block, and every branch of the
// variable-length hash.
func TestDerive_LikeTheOracle(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *Arena) {
		for _, p := range []Params{
			{8, 1, 1}, {9, 2, 1}, {15, 3, 1}, {16, 1, 2}, {24, 2, 3}, {31, 5, 3}, {2048, 1, 255},
			{508, 2, 1}, {512, 2, 1}, {516, 2, 1}, {1024, 1, 2}, {1028, 3, 1}, {19456, 2, 1}, {4099, 2, 4},
		} {
			for _, size := range []int{4, 31, 32, 33, 63, 64, 65, 95, 96, 97, 1024} {
				if p.Memory > 600 && size != 32 {
					continue
				}
				compare(t, a, size, Input{Password: []byte("quilt zebra violin"), Salt: []byte("0123456789abcdef")}, p)
			}
		}
		for _, in := range []Input{
			{Password: nil, Salt: make([]byte, 8)},
			{Password: bytes.Repeat([]byte("x"), 4096), Salt: bytes.Repeat([]byte("y"), 300)},
			{Password: []byte("\x00"), Salt: []byte("\x00\x00\x00\x00\x00\x00\x00\x01")},
		} {
			compare(t, a, 32, in, Params{64, 2, 1})
		}
	})
}

func compare(t *testing.T, a *Arena, size int, in Input, p Params) {
	t.Helper()
	want := hex.EncodeToString(oracle.IDKey(in.Password, in.Salt, p.Passes, p.Memory, uint8(p.Lanes), uint32(size)))
	if got := derive(t, a, size, in, p); got != want {
		t.Errorf("%+v, %d bytes: %s, want %s", p, size, got, want)
	}
}

func FuzzDerive(f *testing.F) {
	f.Add([]byte("password"), []byte("somesalt"), uint16(0), uint8(0), uint8(0), uint16(28))
	f.Add([]byte(""), []byte("0123456789abcdef"), uint16(600), uint8(2), uint8(3), uint16(96))
	f.Fuzz(func(t *testing.T, password, salt []byte, memory uint16, passes, lanes uint8, size uint16) {
		p := Params{Passes: 1 + uint32(passes%4), Lanes: 1 + uint32(lanes%8)}
		p.Memory = 8*p.Lanes + uint32(memory%2048)
		in := Input{Password: password[:min(len(password), 4096)], Salt: append(salt[:min(len(salt), 4096)], "saltsalt"...)}
		for _, k := range kernels() {
			compare(t, &Arena{kernel: k}, 4+int(size%256), in, p)
		}
	})
}

// A used arena computes the same as a new one.
func TestDerive_Again(t *testing.T) {
	t.Parallel()
	in := Input{Password: []byte("quilt zebra violin"), Salt: []byte("0123456789abcdef")}
	each(t, func(t *testing.T, a *Arena) {
		for _, p := range []Params{{64, 3, 2}, {1024, 1, 1}, {8, 2, 1}, {64, 3, 2}, {512, 2, 4}} {
			fresh := &Arena{kernel: a.kernel}
			if got, want := derive(t, a, 32, in, p), derive(t, fresh, 32, in, p); got != want {
				t.Errorf("%+v: %s after others, %s alone", p, got, want)
			}
		}
		if a.Size() != 1024 {
			t.Errorf("the arena holds %d KiB, want the memory of the most expensive hash", a.Size())
		}
		if a.Release(); a.Size() != 0 {
			t.Errorf("the arena holds %d KiB after it has given them back", a.Size())
		}
		derive(t, a, 32, in, Params{64, 1, 1})
	})
}

// A derivation leaves no memory behind that helps to test passwords.
func TestDerive_Wipes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *Arena) {
		for _, p := range []Params{{1024, 2, 1}, {256, 2, 3}, {64, 1, 1}} {
			derive(t, a, 33, Input{Password: []byte("quilt zebra violin"), Salt: []byte("0123456789abcdef"), Secret: []byte("key"), Data: []byte("data")}, p)
			wiped(t, a)
			if err := a.Spend(p, 0); err != nil {
				t.Error(err)
			}
			wiped(t, a)
		}
	})
}

func wiped(t *testing.T, a *Arena) {
	t.Helper()
	left := append([]block{a.scratch, a.addresses, a.counter, a.zero}, a.blocks...)
	for i, b := range left {
		if b != (block{}) {
			t.Fatalf("block %d of %d is not wiped", i, len(left))
		}
	}
	if text := a.text[:cap(a.text)]; !bytes.Equal(text, make([]byte, len(text))) {
		t.Errorf("the input is not wiped: %q", text)
	}
	if a.bytes != [len(a.bytes)]byte{} {
		t.Error("the bytes of a block are not wiped")
	}
}

// Spend subtracts the work that was done already. internal/password measures
// how well.
func TestSpend(t *testing.T) {
	t.Parallel()
	p := Params{Memory: 4096, Passes: 8, Lanes: 1}
	each(t, func(t *testing.T, a *Arena) {
		quickest := func(spent time.Duration) time.Duration {
			best := time.Hour
			for range 5 {
				start := time.Now()
				if err := a.Spend(p, spent); err != nil {
					t.Fatal(err)
				}
				best = min(best, time.Since(start))
			}
			return best
		}
		if all, nothing := quickest(0), quickest(time.Hour); nothing > all/4 {
			t.Errorf("the spent part took %v of %v", nothing, all)
		}
	})
	if err := NewArena().Spend(Params{}, 0); err == nil {
		t.Error("wrong parameters are spent")
	}
}

func TestDerive_Refuses(t *testing.T) {
	t.Parallel()
	right := Params{Memory: 64, Passes: 2, Lanes: 1}
	salt := []byte("somesalt")
	for name, test := range map[string]struct {
		size int
		in   Input
		p    Params
		want string
	}{
		"nothing":         {32, Input{Salt: salt}, Params{}, "0 lanes"},
		"no lane":         {32, Input{Salt: salt}, Params{64, 2, 0}, "0 lanes"},
		"many lanes":      {32, Input{Salt: salt}, Params{MaxMemory, 2, MaxLanes + 1}, "257 lanes"},
		"lanes overflow":  {32, Input{Salt: salt}, Params{64, 2, 1 << 29}, "lanes"},
		"little memory":   {32, Input{Salt: salt}, Params{7, 2, 1}, "7 KiB"},
		"memory a lane":   {32, Input{Salt: salt}, Params{31, 2, 4}, "from 32"},
		"much memory":     {32, Input{Salt: salt}, Params{MaxMemory + 1, 2, 1}, "1048577 KiB"},
		"all memory":      {32, Input{Salt: salt}, Params{1<<32 - 1, 2, 1}, "KiB"},
		"no pass":         {32, Input{Salt: salt}, Params{64, 0, 1}, "0 passes"},
		"many passes":     {32, Input{Salt: salt}, Params{64, MaxPasses + 1, 1}, "1025 passes"},
		"no tag":          {0, Input{Salt: salt}, right, "tag of 0 bytes"},
		"short tag":       {3, Input{Salt: salt}, right, "tag of 3 bytes"},
		"long tag":        {maxTag + 1, Input{Salt: salt}, right, "tag of 1025 bytes"},
		"no salt":         {32, Input{}, right, "salt of 0 bytes"},
		"short salt":      {32, Input{Salt: salt[:7]}, right, "salt of 7 bytes"},
		"long password":   {32, Input{Salt: salt, Password: make([]byte, maxInput+1)}, right, "65537 bytes"},
		"long salt":       {32, Input{Salt: make([]byte, maxInput+1)}, right, "65537 bytes"},
		"long secret":     {32, Input{Salt: salt, Secret: make([]byte, maxInput+1)}, right, "65537 bytes"},
		"long associated": {32, Input{Salt: salt, Data: make([]byte, maxInput+1)}, right, "65537 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := NewArena()
			tag := bytes.Repeat([]byte{7}, test.size)
			err := a.Derive(tag, test.in, test.p)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Derive = %v, want an error with %q", err, test.want)
			}
			if a.Size() != 0 || !bytes.Equal(tag, bytes.Repeat([]byte{7}, test.size)) {
				t.Errorf("a refused hash took %d KiB and left the tag %x", a.Size(), tag)
			}
		})
	}
}

// Arenas share nothing, not even the constants of the kernels.
func TestDerive_AtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *Arena) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				in := Input{Password: fmt.Append(nil, "password ", i), Salt: []byte("somesalt")}
				own := &Arena{kernel: a.kernel}
				for range 5 {
					compare(t, own, 32, in, Params{Memory: 512, Passes: 2, Lanes: 1})
				}
			})
		}
		all.Wait()
	})
}

// Not parallel: it counts the allocations of the process.
func TestDerive_AllocatesNothing(t *testing.T) {
	for _, k := range kernels() {
		a := &Arena{kernel: k}
		var tag [32]byte
		in := Input{Password: []byte("quilt zebra violin"), Salt: []byte("0123456789abcdef")}
		got := testing.AllocsPerRun(10, func() {
			p := Params{Memory: 256, Passes: 2, Lanes: 1}
			if err := errors.Join(a.Derive(tag[:], in, p), a.Spend(p, 0)); err != nil {
				t.Error(err)
			}
		})
		if got != 0 {
			t.Errorf("%s: %v allocations a hash, want none", k.name, got)
		}
	}
}
