package sluice

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
)

const (
	// The maximum of a list is this many bytes, or a thousand for each record if that is more: many proxies limit
	// bodies to a megabyte.
	listBytesMin = 1_000_000
	// Far below the limit of the service.
	listBytesMax = 8_000_000

	batchSizeDefault = 1_000
	batchSizeMax     = 10_000
)

// SliceSource returns a source of the records of a slice. A source calls yield for each record, until there
// are no more or yield returns false. An error ends the upload, after everything before it was sent. An
// iter.Seq2[Item, error] is a source.
func SliceSource[Item any](records []Item) func(yield func(Item, error) bool) {
	return func(yield func(Item, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}

// ChanSource returns a source of the records that a channel receives until it is closed. It ends with the
// context.
func ChanSource[Item any](ctx context.Context, records <-chan Item) func(yield func(Item, error) bool) {
	return func(yield func(Item, error) bool) {
		for {
			select {
			case record, ok := <-records:
				if !ok || !yield(record, nil) {
					return
				}
			case <-ctx.Done():
				var none Item
				yield(none, context.Cause(ctx))
				return
			}
		}
	}
}

// Refusal is a record that was not written, with the reason. Other records are not affected.
type Refusal[Item any] struct {
	// The position in the source, from 0.
	Index int

	// The record as the source returned it.
	Record Item

	// One of the Code constants.
	Code int

	Message string
	Errors  []ErrorItem
}

// Tally counts the results of the records for which the service has answered so far.
type Tally struct {
	Received int

	// Changes that are on stable storage.
	Written int

	// Identical records that existed already.
	Unchanged int

	Refused int
}

// add counts records that were neither written nor refused as unchanged.
func (t *Tally) add(received, written, refused int) {
	t.Received += received
	t.Written += written
	t.Refused += refused
	t.Unchanged += received - written - refused
}

// UploadOption is an option of AddAll and UpdateAll.
type UploadOption func(*uploadOptions)

type uploadOptions struct{ batchSize int }

// WithBatchSize bounds the records in a request, 1 to 10,000; 1,000 if left out.
func WithBatchSize(records int) UploadOption {
	return func(o *uploadOptions) { o.batchSize = records }
}

// Upload sends records from a source of any length in lists, each with its own Idempotency-Key. So memory is
// bounded, any failure can be retried, and no record is written twice.
type Upload[Item any] struct {
	session   *session
	ask       ask
	source    func(yield func(Item, error) bool)
	batchSize int
	tally     Tally
}

func newUpload[Item any](
	s *session, a ask, source func(yield func(Item, error) bool), options []UploadOption,
) *Upload[Item] {
	o := uploadOptions{batchSize: batchSizeDefault}
	for _, option := range options {
		option(&o)
	}
	a.isLenient = true
	return &Upload[Item]{session: s, ask: a, source: source, batchSize: o.batchSize}
}

// Tally returns the counts so far. After a failure, it is unknown whether records from Received on were
// written.
func (u *Upload[Item]) Tally() Tally { return u.tally }

// Run sends the records and yields the refusals, in the order of the source: range over it (Go 1.23), or
// call it with a function. After an error it yields nothing more. It can be run once.
func (u *Upload[Item]) Run(ctx context.Context) func(yield func(Refusal[Item], error) bool) {
	return func(yield func(Refusal[Item], error) bool) {
		if err := u.each(ctx, func(refusal Refusal[Item]) bool { return yield(refusal, nil) }); err != nil {
			yield(Refusal[Item]{}, err)
		}
	}
}

type entry[Item any] struct {
	index  int
	record Item
	text   []byte
	err    error
}

// each stops without an error where yield returns false.
func (u *Upload[Item]) each(ctx context.Context, yield func(Refusal[Item]) bool) error {
	if u.batchSize < 1 || u.batchSize > batchSizeMax {
		return &OptionError{"WithBatchSize", "from 1 to 10000"}
	}
	bytesMax := min(max(u.batchSize*1_000, listBytesMin), listBytesMax)
	var batch []entry[Item]
	var failure error
	index, length, isStopped := 0, 0, false
	// flush returns whether to continue.
	flush := func() bool {
		if len(batch) == 0 {
			return true
		}
		refusals, err := u.settle(ctx, batch)
		batch, length = nil, 0
		for _, refusal := range refusals {
			if !yield(refusal) {
				isStopped = true
				return false
			}
		}
		failure = err
		return err == nil
	}
	var sourceErr error
	u.source(func(record Item, err error) bool {
		if err != nil {
			sourceErr = err
			return false
		}
		text, err := toJSON(record)
		if length+len(text) > bytesMax && !flush() {
			return false
		}
		batch = append(batch, entry[Item]{index, record, text, err})
		index++
		length += len(text)
		return len(batch) < u.batchSize || flush()
	})
	if isStopped || failure != nil || !flush() {
		return failure
	}
	return sourceErr
}

// settle refuses records that can't be written as JSON, and sends the others.
func (u *Upload[Item]) settle(ctx context.Context, batch []entry[Item]) ([]Refusal[Item], error) {
	var refusals []Refusal[Item]
	var sendable []entry[Item]
	for _, e := range batch {
		if e.err == nil {
			sendable = append(sendable, e)
			continue
		}
		refusal := Refusal[Item]{Index: e.index, Record: e.record, Code: CodeValidationFailed, Message: e.err.Error()}
		refusals = append(refusals, refusal)
		u.tally.add(1, 0, 1)
	}
	if len(sendable) > 0 {
		told, err := u.write(ctx, sendable)
		refusals = append(refusals, told...)
		if err != nil {
			return refusals, err
		}
	}
	sort.Slice(refusals, func(one, other int) bool { return refusals[one].Index < refusals[other].Index })
	return refusals, nil
}

// write bisects a list that is refused as a whole, and so had no effect, to find the records that cause the
// refusal.
func (u *Upload[Item]) write(ctx context.Context, batch []entry[Item]) ([]Refusal[Item], error) {
	a := u.ask
	a.body = bodyOf(batch)
	var result WriteResult
	err := u.session.call(ctx, a, &result)
	if err == nil {
		return u.count(batch, result), nil
	}
	var refusal *Error
	if !errors.As(err, &refusal) || !isCausedByRecord(refusal.Code) {
		return nil, err
	}
	if len(batch) == 1 {
		u.tally.add(1, 0, 1)
		e := batch[0]
		return []Refusal[Item]{{e.index, e.record, refusal.Code, refusal.Message, withoutIndex(refusal.Errors)}}, nil
	}
	half := (len(batch) + 1) / 2
	first, err := u.write(ctx, batch[:half])
	if err != nil {
		return first, err
	}
	second, err := u.write(ctx, batch[half:])
	return append(first, second...), err
}

func (u *Upload[Item]) count(batch []entry[Item], result WriteResult) []Refusal[Item] {
	var refusals []Refusal[Item]
	for _, each := range result.Results {
		if each.Status != WriteItemResultStatusRefused || each.Index < 0 || each.Index >= int64(len(batch)) {
			continue
		}
		e := batch[each.Index]
		refusals = append(refusals, Refusal[Item]{e.index, e.record, int(each.Code), each.Message, each.Errors})
	}
	u.tally.add(len(batch), int(result.WriteCount), len(refusals))
	return refusals
}

func bodyOf[Item any](batch []entry[Item]) []byte {
	texts := make([][]byte, len(batch))
	for place, e := range batch {
		texts[place] = e.text
	}
	return joinList(texts)
}

func joinList(texts [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]"))
}

// isCausedByRecord reports whether one of the records can be the cause of the refusal of a list: an invalid
// record, or one that is too large, also for a proxy.
func isCausedByRecord(code int) bool {
	switch code {
	case CodeValidationFailed, CodeMalformedJSON, CodeTooLarge, 413:
		return true
	}
	return false
}

// withoutIndex turns [0].amount into amount, for a list of one.
func withoutIndex(items []ErrorItem) []ErrorItem {
	result := make([]ErrorItem, len(items))
	for place, item := range items {
		if rest, ok := strings.CutPrefix(item.Field, "[0]"); ok {
			item.Field = strings.TrimPrefix(rest, ".")
		}
		result[place] = item
	}
	return result
}
