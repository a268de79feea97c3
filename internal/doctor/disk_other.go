//go:build !linux && !darwin

package doctor

import "context"

// disk is skipped, because this system reports free space differently.
func (d *doctor) disk(_ context.Context, r *report) {
	r.add(Skipped, "the free space is not known on this system", "")
}
