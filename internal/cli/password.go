package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/term"
)

// readPassword reads one line from standard input. A terminal does not show it.
// The password is never a flag, because other users of the machine can see the
// arguments of a process.
func (s *session) readPassword() (string, error) {
	password, err := s.readSecret()
	if err == nil && hashed.MatchString(password) {
		return "", fmt.Errorf("%w: this is a password hash from another program, and Portico does not accept hashes: "+
			"create the account without a password, and let its user choose one with \"Forgot your password?\" or a link of 'portico user link'", errUsage)
	}
	return password, err
}

// terminal returns the descriptor of standard input if it is an open terminal.
func (s *session) terminal() (fd int, ok bool) {
	in, _ := s.Stdin.(input)
	f, ok := in.Reader.(*os.File)
	if ok {
		fd = int(f.Fd())
	}
	return fd, ok && term.IsTerminal(fd)
}

func (s *session) readSecret() (string, error) {
	if fd, ok := s.terminal(); ok {
		shown, err := term.GetState(fd)
		if err != nil {
			return "", err
		}
		fmt.Fprint(s.Stderr, "password: ")
		typed, err := awaited(s, func() ([]byte, error) { return term.ReadPassword(fd) })
		_ = term.Restore(fd, shown) // a read that was interrupted does not
		fmt.Fprintln(s.Stderr)
		return string(typed), err
	}
	line, err := bufio.NewReader(io.LimitReader(s.Stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// hashed matches the hashes that crypt, web frameworks and LDAP servers store. As a
// password it would let in only a thief who has read it there.
var hashed = regexp.MustCompile(`^(` +
	`(\{[\w.-]+\}|[a-z0-9_]+\$?)?\$(2[abxy]?|argon2(id|i|d)|scrypt|pbkdf2[\w-]*|bcrypt[\w-]*|g?y|[1567PHS]|apr1)\$\S{20,}|` +
	`(pbkdf2(_sha\d+)?|scrypt)[$:]\S+\$\S{20,}|` +
	`\{(S?SHA(\d{3})?|S?MD5|PBKDF2[\w-]*|CRYPT)\}\S{13,})$`)
