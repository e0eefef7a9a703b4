package sluice

import "testing"

func TestFindsTheIDOfARecordWhereverItIs(t *testing.T) {
	for _, id := range []string{`"a"`, `"a\"b"`, `"a\\"`, `""`, `7`} {
		for _, record := range []string{
			`{"tx_id":` + id + `,"amount":1}`, `{"tx_id":` + id + `}`, `{"amount":1,"tx_id":` + id + `}`,
		} {
			if found := idIn([]byte(record), "tx_id"); found != id {
				t.Errorf("%s in %s", found, record)
			}
		}
	}
	if found := idIn([]byte(`{"tx_id_of":"a"}`), "tx_id"); found != "" {
		t.Errorf("%s is of another field", found)
	}
}
