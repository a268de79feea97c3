package cli

import (
	"errors"
	"fmt"
	"io"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/people"
)

// fits asks for the password of the person whom --known names, and compares it with the file.
func (c userImportCmd) fits(s *session, a *app.App) error {
	switch {
	case c.Known == "":
		return nil
	case c.File == "-":
		return fmt.Errorf("%w: --known needs a file: standard input has the password", errUsage)
	}
	in, _, err := c.open(s)
	if err != nil {
		return err
	}
	defer in.Close()
	from, err := c.reader(in)
	if err != nil {
		return err
	}
	known := flow.Known{Email: c.Known}
	if known.Password, err = s.readSecret(); err != nil {
		return err
	}
	for {
		p, at, err := from.Next()
		_, alone := errors.AsType[*people.Problem](err)
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s: %w", c.File, flow.ErrKnownMissing)
		case err != nil && (!alone || known.Is(p)):
			return fmt.Errorf("%s: %v: %w", c.File, at, err)
		case err == nil && known.Is(p):
			if err := a.Operator.Fits(s, known, p); err != nil {
				return fmt.Errorf("%s: %v: %w", c.File, at, err)
			}
			return nil
		}
	}
}
