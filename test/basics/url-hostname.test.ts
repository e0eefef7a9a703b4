// Host names in the form of URL.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutBrackets } from "../../src/basics/url-hostname.ts";

describe("a host name without brackets", () => {
  for (const [url, host] of [
    ["https://[::1]:8443/x", "::1"],
    ["syslog+tcp://[2001:db8::1]:514", "2001:db8::1"],
    ["https://127.0.0.1", "127.0.0.1"],
    ["https://example.com", "example.com"],
  ] as const) {
    it(`of ${url} is ${host}`, () => {
      assert.equal(withoutBrackets(new URL(url).hostname), host);
    });
  }

  it("is found at once, however many brackets there are", () => {
    const many = "[".repeat(1_000_000);
    assert.equal(withoutBrackets(many), many);
    assert.equal(withoutBrackets(`${many}]`), many.slice(1));
  });
});
