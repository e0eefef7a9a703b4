package sluice

import (
	"fmt"
	"time"
)

// Error is a refusal of the service. Tell refusals apart by Code, never by the message. It never holds the
// API key, a token, or what was sent.
type Error struct {
	// HTTP status.
	Status int

	// One of the Code constants, or one that a newer service has; the status where something in between
	// answered.
	Code int

	Message string

	// Which fields are at fault, and why.
	Errors []ErrorItem

	// The operator finds the request by it.
	RequestID string

	// Of a call that writes: calling again with it has the effect of this call, once.
	IdempotencyKey string

	// How long the service asked to wait, where it did.
	RetryAfter time.Duration
}

const shownMax = 3

// Error returns the message, and the first fields at fault where they say more than the message does.
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

// NetworkError means that no whole reply came, as often as it was tried: whether the call had its effect is
// not known. Call again with IdempotencyKey to make sure of it. It wraps the context's error where the
// context ended the call, so that errors.Is tells it.
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
	return fmt.Sprintf("no whole reply came (%s%s): %v", e.where, tried, e.Err)
}

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// OptionError is an option or an argument that is missing or wrong. It never repeats the value, which may
// be a secret.
type OptionError struct {
	Option   string
	Expected string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("sluice: %s must be %s", e.Option, e.Expected)
}
