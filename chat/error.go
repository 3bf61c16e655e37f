package chat

import "fmt"

// Code is a class of error that callers tell apart.
type Code string

// The classes; a server maps each to its dialect's status.
const (
	Invalid        Code = "invalid_request"   // the request is at fault
	ContextTooLong Code = "context_too_long"  // the prompt does not fit the context
	NotFound       Code = "not_found"         // no such model
	Unavailable    Code = "unavailable"       // loading, draining or closed: try again later
	ModelFailed    Code = "model_failed"      // the model's file or numbers broke
	NonFinite      Code = "non_finite_logits" // the model computed NaN or infinity
)

// Error is an error that a caller may act on.
type Error struct {
	Code Code
	Msg  string // names what was found and what was wanted
	Err  error  // the cause, if there is one
}

func (e *Error) Error() string { return e.Msg }

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error; a %w in the format is its cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	cause, _ := err.(interface{ Unwrap() error })
	e := &Error{Code: code, Msg: err.Error()}
	if cause != nil {
		e.Err = cause.Unwrap()
	}
	return e
}
