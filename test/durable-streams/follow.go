// Follows the feed with the Go client of Durable Streams until it was given the last event. Prints a hash of the
// subjects of all events, in the order in which they came.

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	durablestreams "github.com/durable-streams/durable-streams/packages/client-go"
)

type event struct {
	Subject string `json:"subject"`
}

func main() {
	address, token, mode, last := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	modes := map[string]durablestreams.LiveMode{
		"catch-up":  durablestreams.LiveModeNone,
		"long-poll": durablestreams.LiveModeLongPoll,
		"sse":       durablestreams.LiveModeSSE,
	}
	stream := durablestreams.NewClient().Stream(address + "/v2/changes")
	headers := map[string]string{"Authorization": "Bearer " + token}
	digest := sha256.New()
	subject, offset := "", durablestreams.StartOffset
	for subject != last {
		batches := durablestreams.ReadJSON[event](context.Background(), stream,
			durablestreams.WithReadHeaders(headers),
			durablestreams.WithOffset(offset),
			durablestreams.WithLive(modes[mode]),
		)
		for subject != last {
			batch, err := batches.Next()
			// The end of what there is ends only a client that catches up.
			if errors.Is(err, durablestreams.Done) {
				break
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			for _, item := range batch.Items {
				subject = item.Subject
				fmt.Fprintf(digest, "%s\n", subject)
			}
			offset = batch.NextOffset
		}
		batches.Close()
	}
	fmt.Printf("%x", digest.Sum(nil))
}
