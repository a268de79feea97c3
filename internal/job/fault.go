package job

import "portico/internal/fault"

// Codes of the faults of jobs.
const (
	CodeRunning = "job.running"
	CodeSize    = "job.size"
	CodeMissing = "job.not_found"
)

var (
	// Busy means that a job of the admin still runs.
	Busy = fault.New(fault.Conflict, CodeRunning)

	// Missing means that there is no such job, or no more.
	Missing = fault.New(fault.Missing, CodeMissing)
)
