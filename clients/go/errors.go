package sluice

import (
	"fmt"
	"time"
)

// Error means that the service refused the request. Distinguish refusals by Code, never by the message. It
// never contains the API key, a token, or what was sent.
type Error struct {
	// HTTP status.
	Status int

	// One of the Code constants, or a code of a newer service; the HTTP status if something in between, such as
	// a proxy, answered.
	Code int

	Message string

	// The fields with errors, and why.
	Errors []ErrorItem

	// The operator can find the request in the log by this id.
	RequestID string

	// The key of a call that writes. A repeated call with this key takes effect once.
	IdempotencyKey string

	// How long the service asked to wait, if it did.
	RetryAfter time.Duration
}

const shownMax = 3

// Error returns the message, and the first fields with errors if they say more than the message.
func (e *Error) Error() string {
	text := e.Message
	separator, more := " ", 0
	for _, item := range e.Errors {
		switch {
		case item.Message == "" || item.Message == e.Message:
			continue
		case more >= shownMax:
			more++
			continue
		}
		more++
		text += separator + item.Field
		if item.Field != "" {
			text += " "
		}
		text += item.Message
		separator = "; "
	}
	if more > shownMax {
		text += fmt.Sprintf("; and %d more", more-shownMax)
	}
	return text
}

// NetworkError means that no complete reply arrived in any attempt, so it is unknown whether the call took
// effect. To make sure that it has, call again with IdempotencyKey. If the context ended the call, it wraps
// the context's error, for errors.Is.
type NetworkError struct {
	Attempts       int
	IdempotencyKey string
	Err            error

	where string
}

func (e *NetworkError) Error() string {
	tried := ""
	if e.Attempts > 1 {
		tried = fmt.Sprintf(", tried %d times", e.Attempts)
	}
	return fmt.Sprintf("no complete reply arrived (%s%s): %v", e.where, tried, e.Err)
}

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// OptionError is an option or an argument that is missing or wrong. It never repeats the value, which may
// be a secret.
type OptionError struct {
	Option   string
	Expected string
}

// requireText returns an *OptionError for an argument that is empty.
func requireText(name, value string) error {
	if value != "" {
		return nil
	}
	return &OptionError{name, "a text that is not empty"}
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("sluice: %s must be %s", e.Option, e.Expected)
}
