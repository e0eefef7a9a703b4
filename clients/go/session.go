package sluice

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Renewed this long before its end, or a tenth of its life before if that is less.
const renewalMargin = time.Minute

// session makes calls in the organization's name: a token for it, an Idempotency-Key if it writes, and one
// renewal if the token is not accepted any more. It never renews for a key that was revoked.
type session struct {
	connection *connection
	// Whether concurrent calls are sent as lists.
	batching bool
	fetch    func(context.Context) (keptToken, error)

	// Holds what may renew the token.
	renewing chan struct{}
	mutex    sync.Mutex
	kept     keptToken
}

type keptToken struct {
	text    string
	renewAt time.Time
}

func newSession(o Options) (*session, error) {
	s, err := readSettings(o)
	if err != nil {
		return nil, err
	}
	made := &session{connection: newConnection(s), batching: !o.NoBatching, renewing: make(chan struct{}, 1)}
	if o.GetToken != nil {
		made.fetch = fetchElsewhere(o.GetToken)
		return made, nil
	}
	made.fetch, err = fetchWithKey(made.connection, o)
	return made, err
}

func fetchWithKey(c *connection, o Options) (func(context.Context) (keptToken, error), error) {
	lifetime := o.TokenLifetime
	if lifetime == 0 {
		lifetime = time.Hour
	}
	scopes := o.Scopes
	if scopes == nil {
		scopes = []Scope{ScopeTransactionsWrite}
	}
	switch {
	case !fitsHeader(o.APIKey):
		return nil, &OptionError{"APIKey", "the key as the operator issued it, unless there is GetToken"}
	case o.OrganizationID == "":
		return nil, &OptionError{"OrganizationID", "the id of the organization of the key"}
	case lifetime < 5*time.Minute || lifetime > 24*time.Hour:
		return nil, &OptionError{"TokenLifetime", "from 5 minutes to 24 hours"}
	}
	body, err := json.Marshal(map[string]any{
		"expiry_seconds": int64(lifetime / time.Second),
		"scopes":         AccessTokenScope{OrganizationID: o.OrganizationID, Scopes: scopes},
	})
	if err != nil {
		return nil, err
	}
	key := o.APIKey
	return func(ctx context.Context) (keptToken, error) {
		askedAt := time.Now()
		var reply AccessToken
		if err := c.request(ctx, ask{method: "POST", path: "/auth/token", body: body}, key, &reply); err != nil {
			return keptToken{}, err
		}
		// Counted from here, so that it does not matter whether this machine's clock is right.
		return keep(reply.Token, askedAt, lifetime)
	}, nil
}

func fetchElsewhere(
	get func(context.Context) (string, time.Time, error),
) func(context.Context) (keptToken, error) {
	return func(ctx context.Context) (keptToken, error) {
		token, expiry, err := get(ctx)
		if err != nil {
			return keptToken{}, err
		}
		// By the service's clock, so a token that seems to have ended may have not; the service tells.
		return keep(token, time.Now(), max(time.Until(expiry), renewalMargin))
	}
}

func keep(token string, since time.Time, life time.Duration) (keptToken, error) {
	if !fitsHeader(token) {
		return keptToken{}, errors.New("what came as an access token can't be one")
	}
	return keptToken{token, since.Add(life - min(renewalMargin, life/10))}, nil
}

// call uses the same key for every attempt: whatever happens on the way, the call has its effect once.
func (s *session) call(ctx context.Context, a ask, reply any, options ...CallOption) error {
	if a.method != "GET" {
		a.idempotencyKey = randomName()
	}
	for _, option := range options {
		option(&a)
	}
	if a.method != "GET" && (!fitsHeader(a.idempotencyKey) || len(a.idempotencyKey) > 255) {
		return &OptionError{"the idempotency key", "1 to 255 visible ASCII characters"}
	}
	token, err := s.token(ctx)
	if err != nil {
		return err
	}
	err = s.connection.request(ctx, a, "Bearer "+token, reply)
	var refusal *Error
	if !errors.As(err, &refusal) {
		return err
	}
	if refusal.Code != CodeCredentialInvalid && refusal.Code != CodeCredentialExpired {
		return err
	}
	s.forget(token)
	if token, err = s.token(ctx); err != nil {
		return err
	}
	return s.connection.request(ctx, a, "Bearer "+token, reply)
}

// token renews the token where it has to, by one request however many goroutines wait for it.
func (s *session) token(ctx context.Context) (string, error) {
	if text := s.fresh(); text != "" {
		return text, nil
	}
	select {
	case s.renewing <- struct{}{}:
		defer func() { <-s.renewing }()
	case <-ctx.Done():
		return "", ended(ctx, ask{method: "POST", path: "/auth/token"}, 0)
	}
	if text := s.fresh(); text != "" {
		return text, nil
	}
	kept, err := s.fetch(ctx)
	if err != nil {
		return "", err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.kept = kept
	return kept.text, nil
}

func (s *session) fresh() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if time.Now().Before(s.kept.renewAt) {
		return s.kept.text
	}
	return ""
}

// forget makes sure that a token that the service does not accept any more is not used again.
func (s *session) forget(token string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.kept.text == token {
		s.kept = keptToken{}
	}
}
