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
	// holderLife is the maximum age of a cookie in browsers (RFC 6265bis 5.5),
	// so cookies of apps expire no later.
	holderLife = 400 * 24 * time.Hour

	// holderRenewed is the maximum age after which the cookie is written again.
	holderRenewed = 30 * 24 * time.Hour

	maxKnown = 128 // names
	maxDeep  = 12  // cookies
	deepSize = 700 // bytes of deep cookies
)

// The holder of cookies that an app sets while the browser is signed out.
const nobody = "0"

// holder records which account an app's cookies in a browser belong to. It is
// the value of one of Portico's cookies.
type holder struct {
	who     string // keyed hash of the account id, or the constant for signed-out browsers
	written int64  // time of writing, in units of holderRenewed

	// mixed means that the browser may still have cookies of a previous holder.
	// Then only cookies with a known name belong to this holder: the app has
	// set them since, or the browser was told to delete the old ones.
	mixed bool
	known []uint32 // hashes of names, newest last

	// deep are cookies that the browser does not send with every request to the
	// app. After a change of the account, the first request may not show their
	// names.
	deep []deepCookie
}

// deepCookie has the attributes that identify a cookie for deletion.
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

// note adds a deep cookie and reports whether it is new. It ignores cookies
// beyond the limit: after a change their names are unknown, so they do not
// reach the app.
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

// String returns the value of the cookie: who.written, then the names and the
// deep cookies if there are any.
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
		list, _ := json.Marshal(h.deep) // strings only, so it cannot fail
		text += "." + base64.RawURLEncoding.EncodeToString(list)
	}
	return text
}

// parseHolder parses the result of String.
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
