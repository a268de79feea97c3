package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"portico/internal/file"
)

// Seal returns a writer whose content only the identities of the recipients open. Closing it
// completes it.
func Seal(out io.Writer, recipients []string) (io.WriteCloser, error) {
	all, err := age.ParseRecipients(strings.NewReader(strings.Join(recipients, "\n")))
	if err != nil {
		return nil, fmt.Errorf("--recipient is a public key of age, such as age1...: make a pair with 'age-keygen' (%w)", err)
	}
	return age.Encrypt(out, all...)
}

// Open returns the content of an archive, which is sealed or clear. identity is the file with the
// private key of age, "" for none.
func Open(in io.Reader, identity string) (io.Reader, error) {
	head := bufio.NewReader(in)
	const begin = "age-encryption.org/"
	found, _ := head.Peek(len(begin)) // what cannot be read is not an archive
	switch sealed := string(found) == begin; {
	case !sealed && identity == "":
		return head, nil
	case !sealed:
		if _, err := Begin(head); err != nil {
			return nil, err
		}
		return nil, errors.New("the archive is not sealed for an age key: leave --identity out, if you trust where it was")
	case identity == "":
		return nil, errors.New("the archive is sealed: name the file with the private key in --identity")
	}
	text, err := file.Read(identity, 1<<20)
	if err != nil {
		return nil, err
	}
	all, err := age.ParseIdentities(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s does not hold a private key of age, AGE-SECRET-KEY-1...: %w", identity, err)
	}
	opened, err := age.Decrypt(head, all...)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return nil, fmt.Errorf("the archive is sealed for another key than the one in %s", identity)
	}
	return opened, err
}
