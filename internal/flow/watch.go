package flow

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"

	"portico/internal/fault"
	"portico/internal/telemetry/span"
)

// Ended is a step with its flow and its outcome. It contains only constants of this
// package, so that the number of labels is bounded.
type Ended struct {
	Flow    string // "signin" or a Kind; "unknown" if the step did not find its flow
	Step    string
	Outcome string // "done", "abandoned" by its caller, or the kind of the fault
}

// Stats are counts since the start of the process.
type Stats struct {
	Steps   map[Ended]uint64
	SignIns map[string]uint64 // started sessions, by "password", "mail", "provider", "passkey" or "operator_link"
	SignUps map[string]uint64 // accounts that visitors made, by the same
	Wrong   map[string]uint64 // secrets that did not match, by kind
	Refused map[string]uint64 // by the name of the limit
}

const (
	flowSignIn  Kind = "signin" // has no row
	flowUnknown Kind = "unknown"

	outcomeDone      = "done"
	outcomeAbandoned = "abandoned"

	wrongPassword     = "password"
	wrongCode         = "code"
	wrongLinkPassword = "link password"
	wrongFactor       = "factor"
	wrongPasskey      = "passkey"
)

// watched returns the steps that are counted, with the kinds of their flows.
func watched() map[string][]Kind {
	mailed := []Kind{SignUp, Recovery, ByCode, AddressChange, flowUnknown}
	return map[string][]Kind{
		"signin": {flowSignIn}, "passkey": {flowSignIn}, "signup": {SignUp}, "forgot-password": {Recovery}, "signin-code": {ByCode},
		"verify-code": mailed, "resend": mailed, "confirm-link": mailed, "resend-link": mailed,
		"mfa": {SecondFactor}, "step-up": {SecondFactor}, "terms": {Acceptance}, "keep": {Return}, "enrol": {Enrolment}, "enrol-confirm": {Enrolment}, "protect": {Protection}, "protect-later": {Protection},
		"reset-password": {Recovery}, "first-passkey": {Recovery}, "change-address": {AddressChange}, "alarm": {Recovery}, "start-provider": {Provider}, "finish-provider": {Provider},
	}
}

// counts holds the counters of Stats.
type counts struct {
	mu               sync.Mutex
	steps            map[Ended]uint64
	signIns, signUps map[string]uint64
	wrong            map[string]uint64
}

// newCounts returns counts with every counter at zero. A counter that appears only
// with its first event would hide that event from a query for growth.
func newCounts() *counts {
	ways := map[string]uint64{"password": 0, "mail": 0, "provider": 0, "passkey": 0, byOperatorLink: 0}
	c := &counts{
		steps: make(map[Ended]uint64), signIns: ways, signUps: maps.Clone(ways),
		wrong: map[string]uint64{wrongPassword: 0, wrongCode: 0, wrongLinkPassword: 0, wrongFactor: 0, wrongPasskey: 0},
	}
	outcomes := []string{outcomeDone, outcomeAbandoned}
	for k := fault.Internal; k <= fault.Unavailable; k++ {
		outcomes = append(outcomes, k.String())
	}
	for step, kinds := range watched() {
		for _, kind := range kinds {
			for _, o := range outcomes {
				c.steps[Ended{string(kind), step, o}] = 0
			}
		}
	}
	return c
}

// watch is a running step.
type watch struct {
	counts *counts
	span   span.Span
	step   string
	kind   Kind
}

// watch begins to watch a step. The step sets the kind when it finds its flow, and
// defers end.
func (f *core) watch(ctx context.Context, step string, kind Kind) (context.Context, *watch) {
	ctx, s := span.Start(ctx, span.FlowStep)
	return ctx, &watch{counts: f.counts, span: s, step: step, kind: kind}
}

// end traces and counts the outcome of the step.
func (w *watch) end(r *Result, err *error) {
	outcome := outcomeOf(*err)
	w.trace(outcome)
	w.counts.mu.Lock()
	defer w.counts.mu.Unlock()
	w.counts.steps[Ended{string(w.kind), w.step, outcome}]++
	if r.wrong != "" {
		w.counts.wrong[r.wrong]++
	}
	if *err != nil {
		return
	}
	if way, _, _ := strings.Cut(r.entered, ":"); way != "" {
		w.counts.signIns[way]++
	}
	if way, _, _ := strings.Cut(r.registered, ":"); way != "" {
		w.counts.signUps[way]++
	}
}

// trace ends the span. A visitor's mistake is not an error of the trace.
func (w *watch) trace(outcome string) {
	w.span.Set(span.Flow(string(w.kind)), span.Step(w.step), span.Outcome(outcome))
	failure := ""
	if outcome == fault.Internal.String() || outcome == fault.Unavailable.String() {
		failure = outcome
	}
	w.span.End(failure)
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return outcomeDone
	case errors.Is(err, context.Canceled):
		return outcomeAbandoned
	}
	f := fault.From(err)
	if f.Kind == fault.Internal && errors.Is(err, context.DeadlineExceeded) {
		return fault.Unavailable.String()
	}
	return f.Kind.String()
}

// Stats returns the counts of the flows and of their limits.
func (f *Flows) Stats() Stats {
	refused := f.limiter.Refused()
	for _, name := range limitNames() {
		refused[name] += 0
	}
	f.counts.mu.Lock()
	defer f.counts.mu.Unlock()
	return Stats{
		Steps: maps.Clone(f.counts.steps), SignIns: maps.Clone(f.counts.signIns), SignUps: maps.Clone(f.counts.signUps),
		Wrong: maps.Clone(f.counts.wrong), Refused: refused,
	}
}
