package sluice

import (
	"context"
	"errors"
	"net/url"
)

// recordPaths has the paths of the operations of a type.
type recordPaths struct {
	recordType string
	idField    string
	listPath   string
}

// Collection has the operations on the records of one type: Item is what is added, Update what is sent to
// update a record, and Existence the reply for one that exists.
type Collection[Item, Update, Existence any] struct {
	session *session
	paths   recordPaths
	// Nil if each call is sent as a separate request.
	calls *concurrentCalls
}

func newCollection[Item, Update, Existence any](
	s *session, paths recordPaths,
) *Collection[Item, Update, Existence] {
	c := &Collection[Item, Update, Existence]{session: s, paths: paths}
	if s.batching {
		c.calls = newConcurrentCalls(s, paths)
	}
	return c
}

// Add adds a record.
func (c *Collection[Item, Update, Existence]) Add(
	ctx context.Context, record Item, options ...CallOption,
) (*WriteResult, error) {
	return c.writeOne(ctx, "POST", record, options)
}

// AddList adds up to 10,000 records. All of them are written, or none.
func (c *Collection[Item, Update, Existence]) AddList(
	ctx context.Context, records []Item, options ...CallOption,
) (*WriteResult, error) {
	return c.write(ctx, "POST", c.paths.listPath, listOf(records), options)
}

// Update updates an existing record. Clear clears a field; fields that are left out don't change.
func (c *Collection[Item, Update, Existence]) Update(
	ctx context.Context, update Update, options ...CallOption,
) (*WriteResult, error) {
	return c.writeOne(ctx, "PUT", update, options)
}

// UpdateList updates up to 10,000 records. All of them are written, or none.
func (c *Collection[Item, Update, Existence]) UpdateList(
	ctx context.Context, updates []Update, options ...CallOption,
) (*WriteResult, error) {
	return c.write(ctx, "PUT", c.paths.listPath, listOf(updates), options)
}

// Exists returns when the record was first and last seen; nil if it does not exist.
func (c *Collection[Item, Update, Existence]) Exists(ctx context.Context, id string) (*Existence, error) {
	if err := requireText("id", id); err != nil {
		return nil, err
	}
	query := url.Values{c.paths.idField: {id}}
	found := new(Existence)
	a := ask{method: "GET", path: "/v2/" + c.paths.recordType + "?" + query.Encode()}
	err := c.session.call(ctx, a, found)
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Code == CodeNoSuchRecord {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// AddAll adds records from a source of any length. It does nothing until the upload is run.
func (c *Collection[Item, Update, Existence]) AddAll(
	source func(yield func(Item, error) bool), options ...UploadOption,
) *Upload[Item] {
	return newUpload(c.session, ask{method: "POST", path: "/v2/" + c.paths.listPath}, source, options)
}

// UpdateAll updates records from a source of any length. It does nothing until the upload is run.
func (c *Collection[Item, Update, Existence]) UpdateAll(
	source func(yield func(Update, error) bool), options ...UploadOption,
) *Upload[Update] {
	return newUpload(c.session, ask{method: "PUT", path: "/v2/" + c.paths.listPath}, source, options)
}

func (c *Collection[Item, Update, Existence]) writeOne(
	ctx context.Context, method string, record any, options []CallOption,
) (*WriteResult, error) {
	if c.calls == nil || len(options) > 0 {
		return c.write(ctx, method, c.paths.recordType, record, options)
	}
	body, err := toJSON(record)
	if err != nil {
		return nil, err
	}
	return c.calls.call(ctx, method, body)
}

func (c *Collection[Item, Update, Existence]) write(
	ctx context.Context, method, path string, value any, options []CallOption,
) (*WriteResult, error) {
	body, err := toJSON(value)
	if err != nil {
		return nil, err
	}
	result := new(WriteResult)
	if err := c.session.call(ctx, ask{method: method, path: "/v2/" + path, body: body}, result, options...); err != nil {
		return nil, err
	}
	return result, nil
}

// listOf writes a nil slice as an empty list, not as null.
func listOf[T any](records []T) []T {
	if records == nil {
		return []T{}
	}
	return records
}

// DeletableCollection has the operations on records of a type that can be deleted by request.
type DeletableCollection[Item, Update, Existence, Accepted any] struct {
	*Collection[Item, Update, Existence]
}

func newDeletableCollection[Item, Update, Existence, Accepted any](
	s *session, paths recordPaths,
) *DeletableCollection[Item, Update, Existence, Accepted] {
	return &DeletableCollection[Item, Update, Existence, Accepted]{
		newCollection[Item, Update, Existence](s, paths),
	}
}

// Delete requests the permanent deletion of a record and everything that belongs to it; Deletions.Wait waits
// until it is completed. The reason is kept after the record is erased. The request is sent as a POST,
// because proxies may drop the body of a DELETE.
func (c *DeletableCollection[Item, Update, Existence, Accepted]) Delete(
	ctx context.Context, id, reason string, options ...CallOption,
) (*Accepted, error) {
	if err := errors.Join(requireText("id", id), requireText("reason", reason)); err != nil {
		return nil, err
	}
	a := ask{method: "POST", path: deletionPath}
	for _, option := range options {
		option(&a)
	}
	request := map[string]string{"resource_type": c.paths.recordType, "resource_id": id, "reason": reason}
	if a.basis != "" {
		request["basis"] = string(a.basis)
	}
	body, err := toJSON(request)
	if err != nil {
		return nil, err
	}
	a.body = body
	accepted := new(Accepted)
	if err := c.session.call(ctx, a, accepted, options...); err != nil {
		return nil, err
	}
	return accepted, nil
}
