package people

import (
	"reflect"
	"slices"
	"strings"
)

// Missing returns the fields that no entry of a Reader has had up to its end, with what nobody brings without them. An export
// without them is often incomplete: whoever had a second factor there would sign in without one.
func Missing(r Reader) map[string]string {
	if m, ok := r.(interface{ missing() map[string]string }); ok {
		return m.missing()
	}
	return map[string]string{}
}

func (x *export[E]) missing() map[string]string {
	fields := map[string][]string{}
	bringing(reflect.TypeFor[E](), "", fields)
	all := map[string]string{}
	for what, names := range fields {
		if !slices.ContainsFunc(names, func(name string) bool { return x.found[name] }) {
			all[strings.Join(names, " or ")] = what
		}
	}
	return all
}

// bringing collects the fields with the tag brings by its text. One of those with the same text is enough.
func bringing(t reflect.Type, path string, fields map[string][]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := strings.TrimPrefix(path+"."+f.Tag.Get("json"), ".")
		if what := f.Tag.Get("brings"); what != "" {
			fields[what] = append(fields[what], name)
		}
		bringing(f.Type, name, fields)
	}
}
