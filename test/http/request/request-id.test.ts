// Which X-Request-Id of a client is accepted, and what replaces one that is not.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { requestIdOf } from "../../../src/http/request/request-id.ts";

function idFor(sent: string | undefined): string {
  return requestIdOf({ headers: { "x-request-id": sent } } as unknown as IncomingMessage);
}

describe("the request id", () => {
  for (const sent of [
    "a",
    "7f3c-11",
    "trace:1/2+3=4@x.y_z",
    "x".repeat(limits.requestIdCharactersMax),
  ]) {
    it(`is the client's own where that is ${sent.slice(0, 24)}`, () =>
      assert.equal(idFor(sent), sent));
  }

  for (const sent of [
    undefined,
    "",
    "with space",
    "line\nbreak",
    'quote"',
    "ünï",
    "<b>",
    "x".repeat(limits.requestIdCharactersMax + 1),
  ]) {
    it(`is generated where the client's is ${JSON.stringify(sent)?.slice(0, 24)}`, () => {
      assert.match(idFor(sent), /^req_[0-9a-f]{12}[0-9a-z]+$/);
    });
  }

  it("is never the same twice when it is generated", () => {
    const ids = new Set(Array.from({ length: 1_000 }, () => idFor(undefined)));
    assert.equal(ids.size, 1_000);
  });
});
