// The Prefer header (RFC 7240). Which X-Request-Id of a client is accepted, and what replaces one that is not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { prefers } from "../../../src/http/request/prefer.ts";
import { limits } from "../../../src/domain/limits.ts";
import { requestIdOf } from "../../../src/http/request/request-id.ts";

function preferring(prefer: string | string[] | undefined): FastifyRequest {
  return { headers: { prefer } } as unknown as FastifyRequest;
}

describe("a request prefers lenient handling", () => {
  for (const value of [
    "handling=lenient",
    "HANDLING=Lenient",
    'handling="lenient"',
    "handling = lenient",
    "respond-async, handling=lenient",
    "handling=lenient; why=tests, wait=10",
    ["respond-async", "handling=lenient"],
    "handling=lenient, handling=strict",
    'why="one, two", handling=lenient',
    String.raw`why="a \", b", handling=lenient`,
  ]) {
    it(`with ${JSON.stringify(value)}`, () =>
      assert.equal(prefers(preferring(value), "lenient"), true));
  }
});

describe("a request does not prefer lenient handling", () => {
  for (const value of [
    undefined,
    "",
    "handling",
    "handling=strict",
    "handling=lenientish",
    "xhandling=lenient",
    "lenient",
    "handling=strict, handling=lenient",
    "respond-async",
    'why="a, handling=lenient"',
    'why="a, handling=lenient',
    'why="a, handling=lenient; \\',
    String.raw`why="a \", handling=lenient, b"`,
  ]) {
    it(`with ${JSON.stringify(value)}`, () =>
      assert.equal(prefers(preferring(value), "lenient"), false));
  }
});

describe("a request prefers single verdicts", () => {
  for (const [value, wanted] of [
    ["handling=lenient, verdicts=single", true],
    ['verdicts="Single";why=tests', true],
    ["handling=lenient", false],
    ["verdicts=list, verdicts=single", false],
    ["verdicts", false],
  ] as const) {
    it(`${wanted ? "with" : "but not with"} ${value}`, () => {
      assert.equal(prefers(preferring(value), "single"), wanted);
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
