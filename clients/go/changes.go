package sluice

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// How long the service waits for the next change.
	longPoll = 20 * time.Second
	// A service that is stopping answers at once.
	emptyPause = time.Second
)

var errNoOffset = errors.New("a proxy has removed the header Stream-Next-Offset")

// ChangesOptions selects the changes to read. The zero value reads all types from the beginning, and then waits
// for further changes.
type ChangesOptions struct {
	// "-1" for the beginning, which is the default, "now", or the Offset of the last page.
	Offset string

	// Only these record types, such as "transaction"; nil for all.
	Types []string

	// Whether events have the change itself as Data. Needs ScopeChangesContent.
	Content bool

	// Whether to return at the end of the feed instead of waiting for further changes.
	NoFollow bool
}

// ChangePage is a part of the feed.
type ChangePage struct {
	// In the order of arrival. Empty if only the offset is new, as after "now".
	Events []ChangeEvent

	// The offset of the next page. Store it in the transaction in which the events take effect.
	Offset string

	// Whether no further change had arrived.
	UpToDate bool
}

// Changes follows the changes of the organization, page by page: range over it (Go 1.23), or call it with a
// function. After an error it yields nothing more. After one with CodeOffsetGone, begin again at "-1".
func (c *Client) Changes(ctx context.Context, options ChangesOptions) func(yield func(*ChangePage, error) bool) {
	return func(yield func(*ChangePage, error) bool) {
		if options.Offset == "" {
			options.Offset = "-1"
		}
		for {
			page, err := c.nextPage(ctx, options)
			if err != nil {
				yield(nil, err)
				return
			}
			isNew := len(page.Events) > 0 || page.Offset != options.Offset
			if (isNew && !yield(page, nil)) || (page.UpToDate && options.NoFollow) {
				return
			}
			options.Offset = page.Offset
		}
	}
}

// nextPage waits at least emptyPause before it returns a page without new events.
func (c *Client) nextPage(ctx context.Context, options ChangesOptions) (*ChangePage, error) {
	began := time.Now()
	a := ask{method: "GET", path: "/v2/changes?" + changesQuery(options), header: http.Header{}}
	if options.waits() {
		a.wait = longPoll
	}
	page := new(ChangePage)
	if err := c.session.call(ctx, a, &page.Events); err != nil {
		return nil, err
	}
	page.Offset = a.header.Get("Stream-Next-Offset")
	page.UpToDate = a.header.Get("Stream-Up-To-Date") == "true"
	if page.Offset == "" {
		return nil, errNoOffset
	}
	if options.waits() && len(page.Events) == 0 && !sleep(ctx, emptyPause-time.Since(began)) {
		return nil, ended(ctx, a, 1)
	}
	return page, nil
}

// waits is false for "now": its offset is returned at once, before anything arrives.
func (o ChangesOptions) waits() bool { return !o.NoFollow && o.Offset != "now" }

func changesQuery(options ChangesOptions) string {
	query := url.Values{"offset": {options.Offset}}
	if options.Types != nil {
		query.Set("types", strings.Join(options.Types, ","))
	}
	if options.Content {
		query.Set("include", "content")
	}
	if options.waits() {
		query.Set("live", "long-poll")
	}
	return query.Encode()
}
