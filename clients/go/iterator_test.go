//go:build go1.23

package sluice

import (
	"context"
	"iter"
	"testing"
)

func TestSourcesAndRefusalsAreIterators(t *testing.T) {
	results := `[{"index":1,"status":"refused","code":40000,"message":"No."}]`
	client, _ := start(t, Options{}, reply(200, `{"write_count":1,"results":`+results+`}`))
	var source iter.Seq2[CustomerSar, error] = SliceSource(make([]CustomerSar, 2))
	upload := client.CustomerSars.AddAll(source)
	for refusal, err := range upload.Run(context.Background()) {
		if err != nil || refusal.Index != 1 {
			t.Error(refusal, err)
		}
	}
	if upload.Tally() != (Tally{2, 1, 0, 1}) {
		t.Error(upload.Tally())
	}
}
