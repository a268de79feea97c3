package archive

// Archived and OfThePlace are for tests.
func Archived() []string { return archived() }

// OfThePlace returns the tables that stay.
func OfThePlace() map[string]string { return ofThePlace() }
