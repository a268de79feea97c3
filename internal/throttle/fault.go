package throttle

import (
	"time"

	"portico/internal/fault"
)

// CodeLimited carries RetryAfter; its words name the wait.
const CodeLimited = "throttle.limited"

// Limited says that a limit refuses attempts for the next d.
func Limited(d time.Duration) *fault.Error {
	return fault.New(fault.Limited, CodeLimited).WithRetryAfter(d)
}
