//go:build !linux

package file

import "errors"

func renameNew(string, string) error { return errors.ErrUnsupported }
