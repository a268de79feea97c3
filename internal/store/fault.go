package store

import (
	"time"

	"portico/internal/fault"
)

// CodeUnavailable says that the database does not answer in time.
const CodeUnavailable = fault.CodeUnavailable

func unavailable(cause error) error {
	return fault.New(fault.Unavailable, CodeUnavailable).WithRetryAfter(time.Second).WithCause(cause)
}
