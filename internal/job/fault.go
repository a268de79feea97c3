package job

import "portico/internal/fault"

// Codes of the faults of jobs.
const (
	CodeSize = "job.size"
)

var (
	// Busy means that a job of the admin still runs.
	Busy = fault.New(fault.Conflict, "job.running")

	// Begun means that the job of a draft has begun.
	Begun = fault.New(fault.Conflict, "job.begun")

	// Replaced means that another request goes on with the draft.
	Replaced = fault.New(fault.Conflict, "job.replaced")

	// Missing means that there is no such job, or no more.
	Missing = fault.New(fault.Missing, "job.not_found")
)
