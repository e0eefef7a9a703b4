package sluice

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A token is renewed this long before it expires, or a tenth of its lifetime if that is less.
const renewalMargin = time.Minute

// session makes calls for the organization: with a token, an Idempotency-Key if the call writes, and one
// renewal if the token is no longer accepted. It never renews the token of a revoked key.
type session struct {
	connection *connection
	// Whether concurrent calls are sent as lists.
	batching bool
	fetch    func(context.Context) (keptToken, error)

	// Contains a value while a goroutine renews the token.
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
	made.fetch, err = fetchFromService(made.connection, o)
	return made, err
}

func fetchFromService(c *connection, o Options) (func(context.Context) (keptToken, error), error) {
	if o.TokenLifetime == 0 {
		o.TokenLifetime = time.Hour
	}
	// A key is often read from a file, with the newline at its end.
	o.APIKey = strings.TrimSpace(o.APIKey)
	if o.Scopes == nil {
		o.Scopes = []Scope{ScopeTransactionsWrite}
	}
	switch {
	case o.TokenSource == nil && !fitsHeader(o.APIKey):
		return nil, &OptionError{"APIKey", "the key as the operator issued it, unless there is GetToken or TokenSource"}
	case o.OrganizationID == "":
		return nil, &OptionError{"OrganizationID", "the id of the organization of the key"}
	case o.TokenLifetime < 5*time.Minute || o.TokenLifetime > 24*time.Hour:
		return nil, &OptionError{"TokenLifetime", "from 5 minutes to 24 hours"}
	}
	exchange := exchangeToken
	if o.TokenSource == nil {
		exchange = exchangeKey
	}
	return func(ctx context.Context) (keptToken, error) {
		askedAt := time.Now()
		reply, err := exchange(ctx, c, o)
		if err != nil {
			return keptToken{}, err
		}
		// Counted from now, so that a wrong clock of this machine does not matter. A rule may shorten the lifetime.
		life := o.TokenLifetime
		if reply.ExpiresIn > 0 {
			life = time.Duration(reply.ExpiresIn) * time.Second
		}
		return keep(reply.Token, askedAt, life)
	}, nil
}

func exchangeKey(ctx context.Context, c *connection, o Options) (reply AccessToken, err error) {
	body, err := json.Marshal(map[string]any{
		"expiry_seconds": int64(o.TokenLifetime / time.Second),
		"scopes":         AccessTokenScope{OrganizationID: o.OrganizationID, Scopes: o.Scopes},
	})
	if err == nil {
		err = c.request(ctx, ask{method: "POST", path: "/auth/token", body: body}, o.APIKey, &reply)
	}
	return reply, err
}

// exchangeToken uses RFC 7523. If the token is refused, the platform may have replaced it, so the current one
// is tried once.
func exchangeToken(ctx context.Context, c *connection, o Options) (reply AccessToken, err error) {
	refused := ""
	for {
		token, failure := readSource(ctx, o)
		if failure != nil {
			return reply, failure
		}
		if token == refused {
			return reply, err
		}
		err = c.request(ctx, ask{method: "POST", path: "/auth/token", body: tokenForm(token, o), isForm: true}, "", &reply)
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.Code != CodeCredentialInvalid || refused != "" {
			return reply, err
		}
		refused = token
	}
}

func readSource(ctx context.Context, o Options) (string, error) {
	token, err := o.TokenSource(ctx)
	if err != nil {
		return "", err
	}
	token = strings.TrimSpace(token)
	if !fitsHeader(token) {
		return "", errors.New("TokenSource returned no token")
	}
	return token, nil
}

func tokenForm(token string, o Options) []byte {
	scopes := make([]string, len(o.Scopes))
	for at, scope := range o.Scopes {
		scopes[at] = string(scope)
	}
	return []byte(url.Values{
		"grant_type":            {"client_credentials"},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {token},
		"organization_id":       {o.OrganizationID},
		"scope":                 {strings.Join(scopes, " ")},
		"expiry_seconds":        {strconv.FormatInt(int64(o.TokenLifetime/time.Second), 10)},
	}.Encode())
}

func fetchElsewhere(
	get func(context.Context) (string, time.Time, error),
) func(context.Context) (keptToken, error) {
	return func(ctx context.Context) (keptToken, error) {
		token, expiry, err := get(ctx)
		if err != nil {
			return keptToken{}, err
		}
		// The time is by the service's clock, so a token that seems expired may be valid; the service decides.
		return keep(token, time.Now(), max(time.Until(expiry), renewalMargin))
	}
}

func keep(token string, since time.Time, life time.Duration) (keptToken, error) {
	if !fitsHeader(token) {
		return keptToken{}, errors.New("the reply contains no valid access token")
	}
	return keptToken{token, since.Add(life - min(renewalMargin, life/10))}, nil
}

// call uses the same key for every attempt, so that the call takes effect once, whatever fails.
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
	if a.basis != "" && a.path != deletionPath {
		return &OptionError{"WithBasis", "left out of calls other than Delete"}
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

// token renews the token if necessary, with one request for all goroutines that wait for it.
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

// forget discards a token that the service no longer accepts.
func (s *session) forget(token string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.kept.text == token {
		s.kept = keptToken{}
	}
}
