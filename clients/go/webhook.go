package sluice

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	webhookTolerance = 5 * time.Minute
	// Several keys may sign, each with two algorithms.
	signaturesMax = 16
	// Secrets and public keys.
	webhookKeySize = 32
)

// ErrWebhook means that the message was not sent by the service, was altered, or is not recent. The
// errors that wrap it say which.
var ErrWebhook = errors.New("sluice: the webhook is not verified")

// VerifyWebhook verifies a message by Standard Webhooks 1.0. Pass the body as it arrived, before it is
// parsed. Keys are secrets (whsec_…), public keys (whpk_…), or both; one of them has to match. It returns
// an error that wraps ErrWebhook, or an *OptionError for an invalid key.
func VerifyWebhook(body []byte, header http.Header, keys ...string) error {
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		if header.Get(name) == "" {
			return fmt.Errorf("%w: the header %s is missing", ErrWebhook, name)
		}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return fmt.Errorf("%w: the message is not recent", ErrWebhook)
	}
	content := append([]byte(id+"."+timestamp+"."), body...)
	signatures := strings.SplitN(header.Get("Webhook-Signature"), " ", signaturesMax+1)
	for _, key := range keys {
		matches, err := webhookCheck(key, content)
		if err != nil {
			return err
		}
		for _, signature := range signatures[:min(len(signatures), signaturesMax)] {
			version, text, _ := strings.Cut(signature, ",")
			if sent, err := base64.StdEncoding.DecodeString(text); err == nil && matches(version, sent) {
				return nil
			}
		}
	}
	return fmt.Errorf("%w: no signature matches", ErrWebhook)
}

// webhookCheck returns a function that verifies a signature of the content with the key.
func webhookCheck(key string, content []byte) (func(version string, signature []byte) bool, error) {
	kind, text, _ := strings.Cut(key, "_")
	bytes, _ := base64.StdEncoding.DecodeString(text)
	if len(bytes) != webhookKeySize {
		kind = ""
	}
	switch kind {
	case "whsec":
		mac := hmac.New(sha256.New, bytes)
		mac.Write(content)
		sum := mac.Sum(nil)
		return func(version string, signature []byte) bool {
			return version == "v1" && hmac.Equal(signature, sum)
		}, nil
	case "whpk":
		return func(version string, signature []byte) bool {
			return version == "v1a" && ed25519.Verify(bytes, content, signature)
		}, nil
	}
	return nil, &OptionError{"a key of a webhook", "the secret (whsec_…) or the public key (whpk_…)"}
}
