//go:build !linux && !darwin

package doctor

import "context"

// disk is not asked on a system that tells it in another way.
func (d *doctor) disk(_ context.Context, r *report) {
	r.add(Skipped, "the free space is not known on this system", "")
}
