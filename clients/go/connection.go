package sluice

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Version of this module.
const Version = "0.1.0"

// Every reply of the service is shorter.
const replyBytesMax = 64 << 20

// ask describes a request to the service.
type ask struct {
	method string
	path   string
	// JSON; nil for none.
	body []byte
	// The body is a form, not JSON.
	isForm         bool
	isLenient      bool
	idempotencyKey string
	// Of a deletion; its body contains it.
	basis DeletionStatusBasis
	// Lenient; each item gets the result that a separate request would get.
	asSingle bool
	// How long the service may wait before it answers (long poll).
	wait time.Duration
	// Called with the header of a successful reply, unless nil.
	header http.Header
}

// where names the operation, without the query, which may contain an id.
func (a ask) where() string {
	path, _, _ := strings.Cut(a.path, "?")
	return a.method + " " + path
}

// connection sends every request of a client and retries it; all attempts of a call have the same
// Idempotency-Key.
type connection struct {
	settings settings
	name     string
	calls    atomic.Uint64
	// Whether a reply that can be read has ever arrived.
	answered atomic.Bool
}

func newConnection(s settings) *connection {
	return &connection{settings: s, name: randomName()}
}

// randomName returns 128 random bits.
func randomName() string {
	bits := make([]byte, 16)
	if _, err := rand.Read(bits); err != nil {
		panic(err) // The system has no randomness.
	}
	return hex.EncodeToString(bits)
}

// request decodes the reply into reply. Returns *Error or *NetworkError.
func (c *connection) request(ctx context.Context, a ask, authorization string, reply any) error {
	call := fmt.Sprintf("%s.%d", c.name, c.calls.Add(1))
	policy := newRetryPolicy(c.settings.retryFor)
	for number := 1; ; number++ {
		body, err := c.attempt(ctx, a, authorization, call, number)
		if err == nil {
			err = decode(body, a, reply)
		}
		var refusal *Error
		isRefusal := errors.As(err, &refusal)
		if err == nil || isRefusal {
			c.answered.Store(true)
		}
		if err == nil {
			return nil
		}
		if !isRefusal {
			err = &NetworkError{number, a.idempotencyKey, err, a.where()}
		}
		if ctx.Err() != nil {
			return ended(ctx, a, number)
		}
		policy.unanswered = !c.answered.Load()
		delay, again := policy.delayAfter(err)
		if !again {
			return err
		}
		if !sleep(ctx, delay) {
			return ended(ctx, a, number)
		}
	}
}

// ended returns the error of a call whose context ended.
func ended(ctx context.Context, a ask, number int) error {
	return &NetworkError{number, a.idempotencyKey, context.Cause(ctx), a.where()}
}

// sleep returns false if the context ended first.
func sleep(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

var (
	errBrokeOff    = errors.New("the reply was truncated, or is not from Sluice")
	errOtherReply  = errors.New("the reply belongs to another request")
	errTimeout     = errors.New("no reply arrived in time")
	errReplyLength = errors.New("the reply is too long")
)

// attempt sends one request and reads its complete reply, within the timeout of an attempt. It returns an
// *Error if the service refused the request.
func (c *connection) attempt(
	ctx context.Context, a ask, authorization, call string, number int,
) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.settings.timeout+a.wait, errTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, a.method, c.settings.baseURL+a.path, bytes.NewReader(a.body))
	if err != nil {
		return nil, withoutURL(ctx, err)
	}
	setHeaders(request.Header, a, authorization, fmt.Sprintf("%s.%d", call, number))
	response, err := c.settings.client.Do(request)
	if err != nil {
		return nil, withoutURL(ctx, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, replyBytesMax+1))
	if err != nil {
		return nil, withoutURL(ctx, err)
	}
	if len(body) > replyBytesMax {
		return nil, errReplyLength
	}
	// If a reply was sent twice, the second one would be taken for the reply to the next request. A proxy may
	// replace the request id with its own.
	received := response.Header.Get("X-Request-Id")
	if strings.HasPrefix(received, c.name+".") && !strings.HasPrefix(received, call+".") {
		return nil, errOtherReply
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		if a.header != nil {
			maps.Copy(a.header, response.Header)
		}
		if response.StatusCode == http.StatusNoContent {
			return []byte("[]"), nil
		}
		return body, nil
	}
	return nil, readRefusal(response, body, a)
}

func setHeaders(header http.Header, a ask, authorization, requestID string) {
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "sluice-go/"+Version)
	header.Set("X-Request-Id", requestID)
	if a.isForm {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else if a.body != nil {
		header.Set("Content-Type", "application/json")
	}
	if a.isLenient {
		header.Set("Prefer", "handling=lenient")
	}
	if a.asSingle {
		header.Set("Prefer", "handling=lenient, verdicts=single")
	}
	if a.idempotencyKey != "" {
		header.Set("Idempotency-Key", a.idempotencyKey)
	}
}

// withoutURL removes the URL, which may contain the id of a record.
func withoutURL(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func decode(body []byte, a ask, reply any) error {
	if !isSuccess(body, a) {
		return errBrokeOff
	}
	if err := json.Unmarshal(body, reply); err != nil {
		return fmt.Errorf("the reply can't be read: %w", err)
	}
	return nil
}

// isSuccess reports whether the body is a list for a page of changes, or has a field that every success of the
// call has.
func isSuccess(body []byte, a ask) bool {
	field := "write_count"
	switch {
	case strings.HasPrefix(a.path, "/v2/changes?"):
		return json.Valid(body) && bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
	case a.path == "/auth/token":
		field = "token"
	case strings.HasPrefix(a.path, deletionPath):
		field = "deletion_request_id"
	case a.method == "GET":
		field = "first_seen"
	}
	var fields map[string]json.RawMessage
	return json.Unmarshal(body, &fields) == nil && fields[field] != nil
}

// readRefusal returns an *Error. A reply that is declared as JSON but is none was truncated.
func readRefusal(response *http.Response, body []byte, a ask) error {
	if !json.Valid(body) && strings.Contains(response.Header.Get("Content-Type"), "json") {
		return errBrokeOff
	}
	refusal := &Error{
		Status:         response.StatusCode,
		Code:           response.StatusCode,
		Message:        describeUnknown(response.StatusCode),
		RequestID:      response.Header.Get("X-Request-Id"),
		IdempotencyKey: a.idempotencyKey,
		RetryAfter:     readRetryAfter(response.Header.Get("Retry-After")),
	}
	var told struct {
		Code    int         `json:"code"`
		Message string      `json:"message"`
		Errors  []ErrorItem `json:"errors"`
	}
	if json.Unmarshal(body, &told) == nil && told.Code != 0 && told.Message != "" {
		refusal.Code, refusal.Message, refusal.Errors = told.Code, told.Message, told.Errors
	}
	return refusal
}

func describeUnknown(status int) string {
	if status >= 300 && status < 400 {
		return "The reply is a redirect, which is not followed; set BaseURL to the address that it leads to."
	}
	return fmt.Sprintf(
		"Something other than Sluice answered with status %d; check BaseURL and any proxy in between.", status,
	)
}
