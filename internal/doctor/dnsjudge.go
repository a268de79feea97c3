package doctor

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

func judgeMX(r *report, mx records) {
	switch {
	case mx.err != nil:
	case len(mx.list) == 0:
		r.add(Warning, "MX: "+mx.name+" has none, so answers and bounces to the sender are lost, and some receivers refuse its emails", "enter an MX record at "+mx.name+" with the server that receives its email")
	case slices.Contains(mx.list, "."):
		r.add(Warning, "MX: "+mx.name+" says that it receives no email, and some receivers refuse such a sender", "enter an MX record at "+mx.name+" with the server that receives its email")
	default:
		r.add(OK, "MX: "+mx.name+" receives email at "+strings.TrimSuffix(mx.list[0], "."), "")
	}
}

// judgeSPF judges the record that names the servers of a domain (RFC 7208).
func judgeSPF(r *report, spf records, server string) {
	enter := "enter at " + spf.name + " the TXT record that your mail provider names, or v=spf1 a:" + server + " -all if " + server + " sends directly"
	switch {
	case spf.err != nil:
		return
	case len(spf.list) == 0:
		r.add(Warning, "SPF: "+spf.name+" has none, so anyone may send in its name", enter)
		return
	case len(spf.list) > 1:
		r.add(Warning, fmt.Sprintf("SPF: %s has %d records, so receivers ignore all", spf.name, len(spf.list)), "make one of them")
		return
	}
	lookups, end := 0, ""
	for _, term := range strings.Fields(strings.ToLower(spf.list[0]))[1:] {
		name := strings.TrimLeft(term, "+-~?")
		name = name[:strings.IndexAny(name+":", ":/=")]
		switch name {
		case "include", "a", "mx", "ptr", "exists", "redirect":
			lookups++
		}
		if name == "all" || name == "redirect" {
			end = term
		}
		if !slices.Contains(strings.Fields("all include a mx ptr ip4 ip6 exists redirect exp"), name) && !strings.Contains(term, "=") {
			r.add(Warning, "SPF: the record of "+spf.name+" has the unknown word "+term+", so receivers ignore it", "correct that word")
			return
		}
	}
	switch {
	case lookups > 10:
		r.add(Warning, fmt.Sprintf("SPF: the record of %s asks DNS %d times, and receivers stop after 10", spf.name, lookups), "remove servers that no longer send")
	case end == "all" || end == "+all":
		r.add(Warning, "SPF: the record of "+spf.name+" lets every server send", "end it with -all or ~all")
	case end == "" || end == "?all":
		r.add(Warning, "SPF: the record of "+spf.name+" does not say what other servers may do", "end it with -all or ~all")
	default:
		r.add(OK, "SPF: "+spf.name+" names its servers, and ends with "+end, "")
	}
}

// tags returns the values of a record (RFC 6376 3.2, RFC 7489 6.4).
func tags(record string) map[string]string {
	values := map[string]string{}
	for part := range strings.SplitSeq(record, ";") {
		if name, value, ok := strings.Cut(part, "="); ok {
			values[strings.TrimSpace(name)] = strings.Join(strings.Fields(value), "")
		}
	}
	return values
}

// judgeDKIM judges the public key of a selector (RFC 6376, RFC 8301, RFC 8463).
func judgeDKIM(r *report, dkim records) {
	const copied = "copy the record that your mail server or provider names for this selector, whole"
	keys := slices.DeleteFunc(slices.Clone(dkim.list), func(text string) bool { _, ok := tags(text)["p"]; return !ok })
	switch {
	case dkim.err != nil:
		return
	case len(dkim.list) == 0:
		r.add(Warning, "DKIM: there is no TXT record at "+dkim.name, "enter there the record that your mail server or provider names, or correct mail_dkim_selector")
		return
	case len(keys) != 1:
		r.add(Warning, fmt.Sprintf("DKIM: %d of the records at %s are keys, want one", len(keys), dkim.name), copied)
		return
	}
	bits, why := keyOf(tags(keys[0]))
	switch {
	case why != "":
		r.add(Warning, "DKIM: the key at "+dkim.name+" "+why, copied)
	case bits > 0 && bits < 2048:
		r.add(Warning, fmt.Sprintf("DKIM: the key at %s has %d bits", dkim.name, bits), "make one with 2048 bits; receivers ignore keys below 1024")
	default:
		r.add(OK, "DKIM: there is a key at "+dkim.name, "")
	}
}

// keyOf returns the size of an RSA key, 0 for another kind, or what is wrong.
func keyOf(record map[string]string) (bits int, why string) {
	if record["p"] == "" {
		return 0, "was revoked"
	}
	if v := record["v"]; v != "" && v != "DKIM1" {
		return 0, "has the unknown version " + v
	}
	raw, err := base64.StdEncoding.DecodeString(record["p"])
	if err != nil {
		return 0, "is cut or changed"
	}
	switch kind := record["k"]; kind {
	case "", "rsa":
		key, err := x509.ParsePKIXPublicKey(raw)
		public, ok := key.(*rsa.PublicKey)
		if err != nil || !ok {
			return 0, "is cut or changed"
		}
		return public.N.BitLen(), ""
	case "ed25519":
		if len(raw) != 32 {
			return 0, "is cut or changed"
		}
		return 0, ""
	default:
		return 0, "has the unknown kind " + kind
	}
}

// judgeDMARC judges the record that says what receivers do with forged emails (RFC
// 7489).
func judgeDMARC(r *report, dmarc records, domain string) {
	if dmarc.err != nil {
		return
	}
	switch len(dmarc.list) {
	case 0:
		r.add(Warning, "DMARC: "+domain+" has no record, and large receivers want one", "enter at _dmarc."+domain+" the TXT record v=DMARC1; p=none, and p=quarantine or p=reject once SPF or DKIM is right")
		return
	case 1:
	default:
		r.add(Warning, fmt.Sprintf("DMARC: %s has %d records, so receivers ignore all", dmarc.name, len(dmarc.list)), "leave one")
		return
	}
	found := tags(dmarc.list[0])
	policy := found["p"]
	if sub, ok := found["sp"]; ok && dmarc.name != "_dmarc."+domain {
		policy = sub
	}
	switch policy {
	case "reject", "quarantine":
		r.add(OK, "DMARC: "+dmarc.name+" asks receivers to "+policy+" forged emails", "")
	case "none":
		r.add(OK, "DMARC: "+dmarc.name+" is there, and lets receivers accept forged emails (p=none)", "")
	default:
		r.add(Warning, "DMARC: the record of "+dmarc.name+" has no policy", "write p=none, p=quarantine or p=reject after v=DMARC1;")
	}
}
