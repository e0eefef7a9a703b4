package sluice

// Client has a collection for every type of record. Create one for each service and organization; many
// goroutines may use it at once.
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

// CloseIdleConnections closes the connections that no call is using. The client can still be used.
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

// WithIdempotencyKey sends the call with this key, 1 to 255 visible ASCII characters. Without it, each call
// gets a new key.
func WithIdempotencyKey(key string) CallOption {
	return func(a *ask) { a.idempotencyKey = key }
}

// WithBasis states on which basis a deletion rests; the receipt contains its salted hash. It is an option of
// Delete alone.
func WithBasis(basis DeletionStatusBasis) CallOption {
	return func(a *ask) { a.basis = basis }
}
