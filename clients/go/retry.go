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

	// As long as no reply has ever arrived, a wrong address is more likely than a restart of the service.
	unansweredMax = 5 * time.Second

	// How many replies of "not yet" (429, or the same request in progress) are waited for; they are no failures.
	turnsMax = 100

	// With this status and higher ones, proxies report a service that they can't reach.
	proxyFailureMin = 520
)

// retryPolicy decides, for one call, whether a request is retried, and after how long: exponential backoff
// with full jitter, but at least Retry-After. Failures are retried for a limited time, so that a restart of
// the service loses no call. The caller does the waiting.
type retryPolicy struct {
	// The last retry begins at most this long after the first failure in a row; 0 turns all retries off.
	retryFor time.Duration
	// No reply has ever arrived.
	unanswered bool
	// time.Now, except in tests.
	now          func() time.Time
	failures     int
	failingSince time.Time
	turns        int
}

func newRetryPolicy(retryFor time.Duration) retryPolicy {
	return retryPolicy{retryFor: retryFor, now: time.Now}
}

// delayAfter returns false if no further attempt is to be made.
func (p *retryPolicy) delayAfter(err error) (time.Duration, bool) {
	if p.retryFor == 0 {
		return 0, false
	}
	var refusal *Error
	if !errors.As(err, &refusal) {
		return p.afterFailure(0)
	}
	if refusal.Status == http.StatusTooManyRequests || refusal.Code == CodeIdempotencyInFlight {
		return p.afterTurn(refusal.RetryAfter)
	}
	if !isFailure(refusal.Status) {
		return 0, false
	}
	return p.afterFailure(refusal.RetryAfter)
}

// afterTurn forgets earlier failures, because the service answers again.
func (p *retryPolicy) afterTurn(retryAfter time.Duration) (time.Duration, bool) {
	p.turns++
	p.failures = 0
	again := p.turns <= turnsMax && retryAfter <= p.retryFor
	return retryAfter + backoff(p.turns, turnBackoffMax), again
}

// afterFailure shortens the last delay, so that one attempt is made at the end of the time.
func (p *retryPolicy) afterFailure(retryAfter time.Duration) (time.Duration, bool) {
	now := p.now()
	if p.failures == 0 {
		p.failingSince = now
	}
	p.failures++
	left := p.retryFor - now.Sub(p.failingSince)
	if p.unanswered {
		left = min(left, unansweredMax-now.Sub(p.failingSince))
	}
	delay := min(left, retryAfter+backoff(p.failures, failureBackoffMax))
	return delay, left >= time.Millisecond && retryAfter <= left
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
	// Beyond the range, it is the longest.
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(at))
}
