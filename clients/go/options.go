package sluice

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Options of a client. Only BaseURL and, unless there is GetToken, OrganizationID with APIKey or TokenSource are
// required.
type Options struct {
	// The address of the service, without a path.
	BaseURL string

	// The key from the operator.
	APIKey string

	// The organization that the key belongs to.
	OrganizationID string

	// Instead of APIKey: returns a token and its expiration time.
	GetToken func(context.Context) (token string, expiry time.Time, err error)

	// Instead of APIKey: returns a token of the platform that the program runs on, whenever an access token
	// is needed. TokenFile reads it from a file.
	TokenSource func(context.Context) (string, error)

	// The scopes to request; transactions:write if left out.
	Scopes []Scope

	// How long a token lasts, 5 minutes to 24 hours; an hour if left out.
	TokenLifetime time.Duration

	// How long a call is retried after its first failure, such as while the service restarts; 2 minutes if left
	// out. NoRetries turns retries off.
	RetryFor time.Duration

	// How long one attempt may take; 30 seconds if left out. The context bounds the whole call.
	Timeout time.Duration

	// Sends each call of Add and Update as a separate request. Otherwise concurrent calls without options are
	// sent as one list, with the answers that separate requests would get.
	NoBatching bool

	// Sends the requests; by default with a copy of http.DefaultTransport. Redirects are never followed: the
	// credential is not for their target.
	HTTPClient *http.Client
}

// TokenFile reads the token of the platform from a file, each time again, because the platform replaces it.
func TokenFile(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		token, err := os.ReadFile(path)
		return string(token), err
	}
}

// NoRetries as Options.RetryFor turns retries off.
const NoRetries time.Duration = -1

// String hides the key.
func (o Options) String() string { return "sluice.Options{" + o.BaseURL + "}" }

// GoString hides the key.
func (o Options) GoString() string { return o.String() }

type settings struct {
	baseURL  string
	retryFor time.Duration
	timeout  time.Duration
	client   *http.Client
}

func readSettings(o Options) (settings, error) {
	baseURL, err := readBaseURL(o.BaseURL)
	if err != nil {
		return settings{}, err
	}
	if o.APIKey != "" && (o.TokenSource != nil || o.GetToken != nil) {
		return settings{}, &OptionError{"APIKey", "left out if there is a TokenSource or GetToken"}
	}
	if o.TokenSource != nil && o.GetToken != nil {
		return settings{}, &OptionError{"TokenSource", "left out if there is GetToken"}
	}
	s := settings{baseURL: baseURL, retryFor: o.RetryFor, timeout: o.Timeout}
	switch {
	case o.RetryFor == NoRetries:
		s.retryFor = 0
	case o.RetryFor == 0:
		s.retryFor = 2 * time.Minute
	case o.RetryFor < 0:
		return s, &OptionError{"RetryFor", "above 0, 0 for the default, or NoRetries"}
	}
	switch {
	case o.Timeout == 0:
		s.timeout = 30 * time.Second
	case o.Timeout < 0:
		return s, &OptionError{"Timeout", "above 0"}
	}
	s.client = httpClient(o.HTTPClient)
	return s, nil
}

// httpClient returns a copy that follows no redirects.
func httpClient(given *http.Client) *http.Client {
	client := http.Client{}
	if given != nil {
		client = *given
	}
	if shared, ok := http.DefaultTransport.(*http.Transport); ok && client.Transport == nil {
		transport := shared.Clone()
		transport.MaxIdleConnsPerHost = 32
		client.Transport = transport
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}
	return &client
}

func readBaseURL(text string) (string, error) {
	wrong := &OptionError{
		"BaseURL", "an address such as https://intake.example.com, without a user, path, query or fragment",
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Host == "" {
		return "", wrong
	}
	if (u.Scheme != "http" && u.Scheme != "https") || (u.Path != "" && u.Path != "/") {
		return "", wrong
	}
	return u.Scheme + "://" + u.Host, nil
}

// fitsHeader reports whether a text can be the value of a header; the error of net/http would repeat it.
func fitsHeader(text string) bool {
	for _, letter := range []byte(text) {
		if letter < 0x21 || letter > 0x7e {
			return false
		}
	}
	return text != ""
}
