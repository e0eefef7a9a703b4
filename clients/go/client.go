package sluice

// Client has a collection for every type of record. One for each service and organization; it may be used
// by many goroutines at once.
type Client struct {
	Collections
	Deletions *Deletions

	session *session
}

// New sends nothing yet. It returns an *OptionError for an option that is missing or wrong.
func New(options Options) (*Client, error) {
	s, err := newSession(options)
	if err != nil {
		return nil, err
	}
	return &Client{newCollections(s), &Deletions{s}, s}, nil
}

// CloseIdleConnections closes connections that no call uses. The client can still be used.
func (c *Client) CloseIdleConnections() {
	c.session.connection.settings.client.CloseIdleConnections()
}

// String hides the key.
func (c *Client) String() string {
	return "sluice.Client{" + c.session.connection.settings.baseURL + "}"
}

// GoString hides the key.
func (c *Client) GoString() string { return c.String() }

// CallOption is an option of a call that writes.
type CallOption func(*ask)

// WithIdempotencyKey sends the call with a key of the caller's, 1 to 255 visible ASCII characters. A key is
// made afresh for each call without it.
func WithIdempotencyKey(key string) CallOption {
	return func(a *ask) { a.idempotencyKey = key }
}
