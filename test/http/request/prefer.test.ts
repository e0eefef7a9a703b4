// The Prefer header (RFC 7240). Which X-Request-Id of a client is accepted, and what replaces one that is not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { prefers } from "../../../src/http/request/prefer.ts";
import { limits } from "../../../src/domain/limits.ts";
import { requestIdOf } from "../../../src/http/request/request-id.ts";

describe("a request", () => {
  for (const [value, wanted, prefer] of [
    ["lenient", true, "handling=lenient"],
    ["lenient", true, "HANDLING=Lenient"],
    ["lenient", true, 'handling="lenient"'],
    ["lenient", true, "handling = lenient"],
    ["lenient", true, "respond-async, handling=lenient"],
    ["lenient", true, "handling=lenient; why=tests, wait=10"],
    ["lenient", true, ["respond-async", "handling=lenient"]],
    ["lenient", true, "handling=lenient, handling=strict"],
    ["lenient", true, 'why="one, two", handling=lenient'],
    ["lenient", true, String.raw`why="a \", b", handling=lenient`],
    ["lenient", false, undefined],
    ["lenient", false, ""],
    ["lenient", false, "handling"],
    ["lenient", false, "handling=strict"],
    ["lenient", false, "handling=lenientish"],
    ["lenient", false, "xhandling=lenient"],
    ["lenient", false, "lenient"],
    ["lenient", false, "handling=strict, handling=lenient"],
    ["lenient", false, "respond-async"],
    ["lenient", false, 'why="a, handling=lenient"'],
    ["lenient", false, 'why="a, handling=lenient'],
    ["lenient", false, 'why="a, handling=lenient; \\'],
    ["lenient", false, String.raw`why="a \", handling=lenient, b"`],
    ["single", true, "handling=lenient, verdicts=single"],
    ["single", true, 'verdicts="Single";why=tests'],
    ["single", false, "handling=lenient"],
    ["single", false, "verdicts=list, verdicts=single"],
    ["single", false, "verdicts"],
  ] as const) {
    it(`${wanted ? "prefers" : "does not prefer"} ${value} with ${JSON.stringify(prefer)}`, () => {
      const request = { headers: { prefer } } as unknown as FastifyRequest;
      assert.equal(prefers(request, value), wanted);
    });
  }
});

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
