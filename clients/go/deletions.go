package sluice

import (
	"context"
	"math/rand/v2"
	"net/url"
	"time"
)

const (
	deletionPath = "/v2/deletion_request"
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second
)

// Deletions has the operations on the deletion requests of the organization.
type Deletions struct{ session *session }

// Status returns the status of a deletion.
func (d *Deletions) Status(ctx context.Context, deletionRequestID string) (*DeletionStatus, error) {
	if err := requireText("deletionRequestID", deletionRequestID); err != nil {
		return nil, err
	}
	query := url.Values{"deletion_request_id": {deletionRequestID}}
	status := new(DeletionStatus)
	a := ask{method: "GET", path: deletionPath + "?" + query.Encode()}
	if err := d.session.call(ctx, a, status); err != nil {
		return nil, err
	}
	return status, nil
}

// Wait polls the status, less and less often, until the deletion is completed, or cancelled by the operator.
// With a grace period or a hold this can take days: bound it with the context.
func (d *Deletions) Wait(ctx context.Context, deletionRequestID string) (*DeletionStatus, error) {
	for pause := firstPause; ; pause = min(pause*3/2, longestPause) {
		status, err := d.Status(ctx, deletionRequestID)
		if err != nil {
			return nil, err
		}
		switch status.Status {
		case DeletionStatusStatusCompleted, DeletionStatusStatusCancelled:
			return status, nil
		}
		jittered := time.Duration(float64(pause) * (0.5 + rand.Float64()/2))
		if !sleep(ctx, jittered) {
			return nil, ended(ctx, ask{method: "GET", path: "/v2/deletion_request"}, 1)
		}
	}
}
