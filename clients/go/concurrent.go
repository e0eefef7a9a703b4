package sluice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	callsMax = 1_000
	// The maximum number of bytes in a list, because many proxies limit bodies to a megabyte.
	callBytesMax = 1_000_000
	requestsMax  = 2
	callWait     = 2 * time.Millisecond
)

var errNoVerdict = errors.New("the reply has no result for this record: the Prefer header was not applied")

// concurrentCalls sends concurrent calls that each write one record of a type as one list. Each call gets
// the answer that a separate request would get (verdicts=single).
//
//	nothing in flight     a call is sent at once, with those of other goroutines that are ready
//	a request in flight   calls wait until one is answered, at most 2 ms
//	two in flight         calls wait until one is answered
//
// Calls for one record take effect in their order: while one of them is in flight, the others wait. A call
// whose context ends before it is sent is never sent.
type concurrentCalls struct {
	session *session
	paths   recordPaths

	mutex    sync.Mutex
	waiting  []*waitingCall
	busy     map[string]bool
	inFlight int
	isSoon   bool
	isTimed  bool
	// Something between the client and the service removes the preference.
	isUnsupported bool
}

type waitingCall struct {
	ctx    context.Context
	method string
	id     string
	body   []byte
	answer chan callAnswer

	// The fields below are guarded by the mutex of the calls.

	// The key of a call that is or was in a list. A waiting call with a key was in a list that was refused as a
	// whole, and is sent alone.
	key string
	// The list that it was sent in.
	list    *callList
	isSent  bool
	hasLeft bool
}

// callList is a request with several calls. It ends when every call has left.
type callList struct {
	key    string
	ctx    context.Context
	cancel context.CancelFunc
	left   int
}

type callAnswer struct {
	result *WriteResult
	err    error
}

func newConcurrentCalls(s *session, paths recordPaths) *concurrentCalls {
	return &concurrentCalls{session: s, paths: paths, busy: map[string]bool{}}
}

func (c *concurrentCalls) call(ctx context.Context, method string, body []byte) (*WriteResult, error) {
	one := &waitingCall{
		ctx: ctx, method: method, id: idIn(body, c.paths.idField), body: body, answer: make(chan callAnswer, 1),
	}
	if !c.enqueue(one) {
		return c.callAlone(one)
	}
	select {
	case answer := <-one.answer:
		return answer.result, answer.err
	case <-ctx.Done():
	}
	if c.leave(one) {
		a := ask{method: method, path: "/v2/" + c.paths.listPath, idempotencyKey: one.key}
		if one.list != nil {
			return nil, ended(ctx, a, 1)
		}
		// The call was never sent, so it can be repeated with any key.
		a.idempotencyKey = randomName()
		return nil, ended(ctx, a, 0)
	}
	// It was sent alone, so its context ends the request.
	answer := <-one.answer
	return answer.result, answer.err
}

// enqueue returns false for a call that has to be sent alone.
func (c *concurrentCalls) enqueue(one *waitingCall) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isUnsupported || one.ctx.Err() != nil {
		return false
	}
	c.waiting = append(c.waiting, one)
	if c.inFlight == 0 {
		c.sendSoon()
	} else if !c.isTimed {
		c.isTimed = true
		time.AfterFunc(callWait, c.send)
	}
	return true
}

// leave returns false for a call that was sent alone.
func (c *concurrentCalls) leave(one *waitingCall) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if one.isSent && one.list == nil {
		return false
	}
	one.hasLeft = true
	if one.list != nil {
		one.list.left--
		if one.list.left == 0 {
			one.list.cancel()
		}
	}
	return true
}

// sendSoon sends the waiting calls after the goroutines that are ready have run.
func (c *concurrentCalls) sendSoon() {
	if c.isSoon {
		return
	}
	c.isSoon = true
	go func() {
		runtime.Gosched()
		c.send()
	}()
}

func (c *concurrentCalls) send() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.isSoon, c.isTimed = false, false
	for c.inFlight < requestsMax {
		calls := c.take()
		if len(calls) == 0 {
			return
		}
		c.inFlight++
		if len(calls) > 1 {
			begin(calls)
		}
		go c.perform(calls)
	}
}

// take returns the calls of the next request: the first that may be sent, and those that may be in the same
// list.
func (c *concurrentCalls) take() []*waitingCall {
	var taken, left []*waitingCall
	held := map[string]bool{}
	size, seen := 0, 0
	for _, call := range c.waiting {
		isFull := len(taken) == callsMax || size+len(call.body) > callBytesMax
		if len(taken) > 0 && isFull {
			break
		}
		seen++
		if call.hasLeft {
			continue
		}
		if !c.busy[call.id] && !held[call.id] && c.mayJoin(taken, call) {
			call.isSent = true
			taken = append(taken, call)
			size += len(call.body)
		} else {
			held[call.id] = true
			left = append(left, call)
		}
	}
	c.waiting = append(left, c.waiting[seen:]...)
	for _, call := range taken {
		c.busy[call.id] = true
	}
	return taken
}

func (c *concurrentCalls) mayJoin(taken []*waitingCall, call *waitingCall) bool {
	if len(taken) == 0 {
		return true
	}
	isAlone := taken[0].key != "" || call.key != ""
	return !isAlone && !c.isUnsupported && taken[0].method == call.method
}

func (c *concurrentCalls) perform(calls []*waitingCall) {
	var again []*waitingCall
	if len(calls) == 1 {
		result, err := c.callAlone(calls[0])
		calls[0].answer <- callAnswer{result, err}
	} else {
		again = c.callTogether(calls)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, call := range calls {
		delete(c.busy, call.id)
	}
	for _, call := range again {
		call.isSent, call.list = false, nil
	}
	c.waiting = append(again, c.waiting...)
	c.inFlight--
	if len(c.waiting) > 0 {
		c.sendSoon()
	}
}

func (c *concurrentCalls) callAlone(one *waitingCall) (*WriteResult, error) {
	var options []CallOption
	if one.key != "" {
		options = append(options, WithIdempotencyKey(one.key))
	}
	result := new(WriteResult)
	a := ask{method: one.method, path: "/v2/" + c.paths.recordType, body: one.body}
	if err := c.session.call(one.ctx, a, result, options...); err != nil {
		return nil, err
	}
	return result, nil
}

// callTogether returns the calls that have to be sent again, alone. The item at index 3 of a list with the
// key K has the key K.3.
func (c *concurrentCalls) callTogether(calls []*waitingCall) []*waitingCall {
	list := calls[0].list
	defer list.cancel()
	header := http.Header{}
	a := ask{
		method: calls[0].method, path: "/v2/" + c.paths.listPath, body: listOfBodies(calls),
		asSingle: true, header: header,
	}
	reply := new(WriteResult)
	err := c.session.call(list.ctx, a, reply, WithIdempotencyKey(list.key))
	var refusal *Error
	if errors.As(err, &refusal) {
		if isStrict := isStrictRefusal(refusal.Code); isStrict || isCausedByRecord(refusal.Code) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.isUnsupported = c.isUnsupported || isStrict
			return calls
		}
	}
	for index, call := range calls {
		if err != nil {
			call.answer <- callAnswer{nil, withKey(err, call.key)}
			continue
		}
		var verdict WriteItemResult
		if index < len(reply.Results) {
			verdict = reply.Results[index]
		}
		refusal := &Error{RequestID: header.Get("X-Request-Id"), IdempotencyKey: call.key}
		call.answer <- c.answerOf(verdict, reply.OrganizationID, refusal, a)
	}
	return nil
}

// isStrictRefusal reports whether the whole list was refused because the preference was not applied. Then
// nothing of the list was written.
func isStrictRefusal(code int) bool {
	switch code {
	case CodeNoSuchRecord, CodeIdenticalRecordExists, CodeRecordExists, CodeDeletionOpen:
		return true
	}
	return false
}

// begin makes a list of the calls, and gives them their keys.
func begin(calls []*waitingCall) {
	ctx, cancel := context.WithCancel(context.Background())
	list := &callList{randomName(), ctx, cancel, len(calls)}
	for index, call := range calls {
		call.key, call.list = fmt.Sprintf("%s.%d", list.key, index), list
	}
}

func (c *concurrentCalls) answerOf(
	verdict WriteItemResult, organizationID string, refusal *Error, a ask,
) callAnswer {
	switch {
	case verdict.Message == "":
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.isUnsupported = true
		return callAnswer{nil, &NetworkError{1, refusal.IdempotencyKey, errNoVerdict, a.where()}}
	case verdict.Code == 0:
		return callAnswer{&WriteResult{
			Success: true, WriteCount: 1, Message: verdict.Message, OrganizationID: organizationID,
		}, nil}
	}
	refusal.Status, refusal.Code = int(verdict.Code/100), int(verdict.Code)
	refusal.Message, refusal.Errors = verdict.Message, verdict.Errors
	return callAnswer{nil, refusal}
}

// withKey turns the error of a list into the error of one of its calls.
func withKey(err error, key string) error {
	var refusal *Error
	if errors.As(err, &refusal) {
		own := *refusal
		own.IdempotencyKey = key
		return &own
	}
	var network *NetworkError
	if errors.As(err, &network) {
		own := *network
		own.IdempotencyKey = key
		return &own
	}
	return err
}

func listOfBodies(calls []*waitingCall) []byte {
	bodies := make([][]byte, len(calls))
	for index, call := range calls {
		bodies[index] = call.body
	}
	return joinList(bodies)
}

// idIn returns the JSON of the id of a record.
func idIn(record []byte, field string) string {
	// The types of this package begin with it, and parsing all of a record takes a quarter of the time of a call.
	begin := `{"` + field + `":`
	if text := begin + `"`; strings.HasPrefix(string(record[:min(len(record), len(text))]), text) {
		for at := len(text); at < len(record); at++ {
			switch record[at] {
			case '\\':
				at++
			case '"':
				return string(record[len(begin) : at+1])
			}
		}
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(record, &fields) != nil {
		return ""
	}
	return string(fields[field])
}
