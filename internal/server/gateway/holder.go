package gateway

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// holderLife is the most that browsers keep a cookie (RFC 6265bis 5.5). The
	// cookies of apps do not live longer.
	holderLife = 400 * 24 * time.Hour

	// holderRenewed is how often the cookie is written anew at least.
	holderRenewed = 30 * 24 * time.Hour

	maxKnown = 128 // names
	maxDeep  = 12  // cookies
	deepSize = 700 // bytes of them
)

// nobody is the holder of what an app sets while nobody is signed in.
const nobody = "0"

// holder says whose cookies a browser keeps for an app. It is the value of a
// cookie of ours.
type holder struct {
	who     string // a keyed hash of the account, or nobody
	written int64  // when, in units of holderRenewed

	// Mixed says that there was another holder before. Of the cookies that come,
	// only those with a known name are the holder's: the app has set them since,
	// or the browser was told to delete the old ones.
	mixed bool
	known []uint32 // hashes of names, the newest last

	// Deep are cookies that do not come with every request to the app. When the
	// person changes, no request shows their names.
	deep []deepCookie
}

// deepCookie is what a browser must be told to delete a cookie.
type deepCookie struct {
	Name   string `json:"n"`
	Path   string `json:"p"`
	Domain string `json:"d,omitempty"`
}

func nameHash(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()
}

func (h *holder) knows(name string) bool { return slices.Contains(h.known, nameHash(name)) }

// learn adds a name and reports whether it is new.
func (h *holder) learn(name string) bool {
	if !h.mixed || h.knows(name) {
		return false
	}
	h.known = append(slices.Clone(h.known), nameHash(name))
	if len(h.known) > maxKnown {
		h.known = h.known[len(h.known)-maxKnown:]
	}
	return true
}

// note adds a cookie that does not come with every request, and reports whether
// it is new. What does not fit is left out: its name is unknown when it comes
// after a change, so it does not reach the app.
func (h *holder) note(c deepCookie) bool {
	size := 0
	for _, known := range h.deep {
		size += len(known.Name) + len(known.Path) + len(known.Domain) + 16
	}
	if slices.Contains(h.deep, c) || len(h.deep) >= maxDeep || size+len(c.Name)+len(c.Path)+len(c.Domain) > deepSize {
		return false
	}
	h.deep = append(slices.Clone(h.deep), c)
	return true
}

// String returns the value of the cookie: who.written, and behind it the names
// and the deep cookies when there are any.
func (h holder) String() string {
	text := h.who + "." + strconv.FormatInt(h.written, 36)
	if !h.mixed && len(h.deep) == 0 {
		return text
	}
	mark := "-"
	if h.mixed {
		var names []byte
		for _, n := range h.known {
			names = binary.BigEndian.AppendUint32(names, n)
		}
		mark = "m" + base64.RawURLEncoding.EncodeToString(names)
	}
	text += "." + mark
	if len(h.deep) > 0 {
		list, _ := json.Marshal(h.deep) // of strings alone
		text += "." + base64.RawURLEncoding.EncodeToString(list)
	}
	return text
}

// parseHolder reads what String has made.
func parseHolder(text string) (h holder, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 4 || parts[0] == "" {
		return holder{}, false
	}
	var err error
	h.who = parts[0]
	if h.written, err = strconv.ParseInt(parts[1], 36, 64); err != nil {
		return holder{}, false
	}
	if len(parts) > 2 {
		var names string
		if names, h.mixed = strings.CutPrefix(parts[2], "m"); h.mixed {
			raw, err := base64.RawURLEncoding.Strict().DecodeString(names)
			if err != nil || len(raw)%4 != 0 || len(raw)/4 > maxKnown {
				return holder{}, false
			}
			for ; len(raw) > 0; raw = raw[4:] {
				h.known = append(h.known, binary.BigEndian.Uint32(raw))
			}
		}
	}
	if len(parts) > 3 {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(parts[3])
		if err != nil || json.Unmarshal(raw, &h.deep) != nil || len(h.deep) > maxDeep {
			return holder{}, false
		}
	}
	return h, true
}
