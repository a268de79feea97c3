package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"portico/internal/file"
	"portico/internal/origin"
)

var (
	localeForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
	idForm     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

	roleForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9._:-]{0,63}$`) // as in package rule
	versionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$`)
)

func sameText(s string) string { return s }

// checkListen accepts host:port with a numeric port. The host is an address, a name, or nothing.
func checkListen(s string) (string, *mistake) {
	host, port, err := net.SplitHostPort(s)
	n, perr := strconv.ParseUint(port, 10, 16)
	_, aerr := netip.ParseAddr(host)
	name := strings.Trim(host, "0123456789.") != "" && origin.CheckCalled("http://"+strings.ToLower(host)) == nil
	if err != nil || perr != nil || strconv.FormatUint(n, 10) != port || host != "" && aerr != nil && !name {
		return "", &mistake{fmt.Sprintf("%q is not an address to listen on", s), "write host:port, such as 127.0.0.1:8080, or :8080 for every network"}
	}
	return s, nil
}

// parsePrefix reads a network. A single address becomes a network of one
// address.
func parsePrefix(s string) (netip.Prefix, *mistake) {
	p, err := netip.ParsePrefix(s)
	if addr, aerr := netip.ParseAddr(s); aerr == nil && addr.Zone() == "" {
		p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	switch {
	case err != nil:
		return p, &mistake{fmt.Sprintf("%q is not a network", s), "write networks such as 10.0.0.0/8 or fd00::/8"}
	case p.Bits() == 0:
		return p, &mistake{s + " lets every client choose its own address", "write only the networks of your proxies"}
	case p.Addr().Is4In6():
		return p, &mistake{s + " is IPv4 written as IPv6", "write it as IPv4"}
	}
	return p.Masked(), nil
}

// parseDomain reads the domain of email addresses. It returns its ASCII form.
func parseDomain(s string) (string, *mistake) {
	domain := strings.ToLower(origin.ASCIIHost(s))
	_, err := netip.ParseAddr(domain)
	if err == nil || !strings.Contains(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, ":") || origin.Check("https://"+domain) != nil {
		return "", &mistake{quoted(s) + " is not a domain of email addresses", "write what follows the @, such as example.com"}
	}
	return domain, nil
}

var selectorForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*$`)

func checkSelector(s string) (string, *mistake) {
	if !selectorForm.MatchString(s) || len(s) > 190 || strings.Contains(s, "_domainkey") {
		return "", &mistake{fmt.Sprintf("%q is not a selector", s), "write the part before ._domainkey, such as s1"}
	}
	return s, nil
}

func checkLocale(s string) (string, *mistake) {
	if !localeForm.MatchString(s) {
		return "", &mistake{fmt.Sprintf("%q is not a language tag", s), "write en or de"}
	}
	return s, nil
}

// checkBrandName limits the length so that the name fits into an email subject.
func checkBrandName(s string) (string, *mistake) {
	const most = 60
	if utf8.RuneCountInString(s) > most {
		return "", &mistake{"the name is too long", fmt.Sprintf("write at most %d characters", most)}
	}
	return s, nil
}

// checkFolder accepts the path of a folder. Package locale checks the files in it.
func checkFolder(path string) (string, *mistake) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &mistake{path + " does not exist", "write an absolute path, or one relative to the folder in which portico is started"}
	case err != nil || !info.IsDir():
		return "", &mistake{path + " cannot be read as a folder", "write the path of a folder that this user can read"}
	}
	return path, nil
}

var colourForm = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func checkColour(s string) (string, *mistake) {
	if !colourForm.MatchString(s) {
		return "", &mistake{fmt.Sprintf("%q is not a color", s), `write # and six digits, such as "#0b6e42"`}
	}
	return strings.ToLower(s), nil
}

// checkEnding accepts a path with one of the endings.
func checkEnding(endings ...string) func(string) (string, *mistake) {
	return func(path string) (string, *mistake) {
		if !slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
			return "", &mistake{path + " has an unknown file type", "write the path of a file that ends in " + strings.Join(endings, " or ")}
		}
		return path, nil
	}
}

// checkFile accepts the path of a file with one of the endings. Package brand
// checks its content.
func checkFile(endings ...string) func(string) (string, *mistake) {
	return func(path string) (string, *mistake) {
		if _, wrong := checkEnding(endings...)(path); wrong != nil {
			return "", wrong
		}
		err := file.Check(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", &mistake{path + " does not exist", "write an absolute path, or one relative to the folder in which portico is started"}
		case err != nil:
			return "", &mistake{path + " cannot be read as a file", "write the path of a file that this user can read"}
		}
		return path, nil
	}
}
