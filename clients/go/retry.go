package sluice

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	backoffBase       = 200 * time.Millisecond
	failureBackoffMax = 10 * time.Second
	turnBackoffMax    = time.Second

	// How often "not yet" (429, or the same request under way) is waited for; it is no failure.
	turnsMax = 100

	// A longer Retry-After is an error.
	retryAfterMax = 2 * time.Minute

	// From here on, proxies report a service that they can't reach.
	proxyFailureMin = 520
)

// retryPolicy decides, for one call, whether a request is retried, and after how long: exponential backoff
// with full jitter, and never less than Retry-After says. Waiting is the caller's.
type retryPolicy struct {
	retries  int
	failures int
	turns    int
}

// delayAfter returns false if there is to be no further attempt.
func (p *retryPolicy) delayAfter(err error) (time.Duration, bool) {
	if p.retries == 0 {
		return 0, false
	}
	var refusal *Error
	if !errors.As(err, &refusal) {
		return p.afterFailure(0)
	}
	if refusal.RetryAfter > retryAfterMax {
		return 0, false
	}
	if refusal.Status == http.StatusTooManyRequests || refusal.Code == CodeIdempotencyInFlight {
		p.turns++
		return refusal.RetryAfter + backoff(p.turns, turnBackoffMax), p.turns <= turnsMax
	}
	if !isFailure(refusal.Status) {
		return 0, false
	}
	return p.afterFailure(refusal.RetryAfter)
}

func (p *retryPolicy) afterFailure(retryAfter time.Duration) (time.Duration, bool) {
	p.failures++
	return retryAfter + backoff(p.failures, failureBackoffMax), p.failures <= p.retries
}

func isFailure(status int) bool {
	switch status {
	case 408, 500, 502, 503, 504:
		return true
	}
	return status >= proxyFailureMin
}

func backoff(nth int, atMost time.Duration) time.Duration {
	longest := min(atMost, backoffBase<<min(nth-1, 20))
	return time.Duration(rand.Float64() * float64(longest))
}

// readRetryAfter reads seconds or a date (RFC 9110, section 10.2.3).
func readRetryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(at))
}
