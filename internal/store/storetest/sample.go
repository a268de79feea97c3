package storetest

import (
	"fmt"
	"reflect"
	"time"
)

// moment is a time in which every stored digit differs from zero.
func moment() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 123_456_000, time.UTC) }

// full returns a T with a distinct value in every field, so that a lost or
// swapped field is noticed, including fields that are added later. Values of
// different numbers differ in every field.
func full[T any](number int) T {
	var v T
	n := number * 1000
	fill(reflect.ValueOf(&v).Elem(), "", &n)
	return v
}

func fill(v reflect.Value, name string, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(moment().Add(time.Duration(*n) * time.Microsecond)))
		return
	case []byte:
		v.SetBytes([]byte{0, 0xff, byte(*n >> 8), byte(*n), '\'', '\\'})
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name, n)
		fill(v.Index(1), name, n)
	case reflect.String:
		v.SetString(fmt.Sprintf("%s-%d Aa ß İ 日本語 👩‍👩‍👧 e\u0301 \u202e \t\r\n ' \" \\ %% _ ; -- $1 ?", name, *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(fmt.Sprintf("storetest: no value for a field of kind %s", v.Kind()))
	}
}
