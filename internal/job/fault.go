package job

import "portico/internal/fault"

// Codes of the faults of jobs.
const (
	CodeRunning  = "job.running"
	CodeSize     = "job.size"
	CodeMissing  = "job.not_found"
	CodeBegun    = "job.begun"
	CodeReplaced = "job.replaced"
)

var (
	// Busy means that a job of the admin still runs.
	Busy = fault.New(fault.Conflict, CodeRunning)

	// Begun means that the job of a draft has begun.
	Begun = fault.New(fault.Conflict, CodeBegun)

	// Replaced means that another request goes on with the draft.
	Replaced = fault.New(fault.Conflict, CodeReplaced)

	// Missing means that there is no such job, or no more.
	Missing = fault.New(fault.Missing, CodeMissing)
)
