package sluice

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// Ptr returns a pointer to the value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }

// Nullable is a field of an update that may be null. With a nil pointer the field does not change.
type Nullable[T any] struct {
	value  T
	isNull bool
}

// Set sets a field of an update to a value.
func Set[T any](value T) *Nullable[T] { return &Nullable[T]{value: value} }

// Clear clears a field of an update.
func Clear[T any]() *Nullable[T] { return &Nullable[T]{isNull: true} }

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.isNull {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// Date is a day, such as 2026-01-31.
type Date string

// DateOf returns the day of the time, in its time zone.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// Timestamp is a time in a reply, exactly as it was sent to the service.
type Timestamp string

// Time parses it.
func (t Timestamp) Time() (time.Time, error) { return time.Parse(time.RFC3339Nano, string(t)) }

var errInvalidText = errors.New("a text is not valid UTF-8")

// toJSON returns an error where json.Marshal would replace invalid UTF-8. json.Marshal writes a replacement as
// an escape, but the same character in valid text as itself.
func toJSON(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	for rest := text; ; {
		at := bytes.Index(rest, []byte(`\ufffd`))
		if at < 0 {
			return text, nil
		}
		backslashes := 0
		for backslashes < at && rest[at-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return nil, errInvalidText
		}
		rest = rest[at+1:]
	}
}
