// The Prefer header (RFC 7240).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FastifyRequest } from "fastify";
import { prefersLenient, prefersSingleVerdicts } from "../../../src/http/request/preferences.ts";

function prefers(value: string | string[] | undefined): boolean {
  return prefersLenient({ headers: { prefer: value } } as unknown as FastifyRequest);
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
    it(`with ${JSON.stringify(value)}`, () => assert.equal(prefers(value), true));
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
    String.raw`why="a \", handling=lenient, b"`,
  ]) {
    it(`with ${JSON.stringify(value)}`, () => assert.equal(prefers(value), false));
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
      const request = { headers: { prefer: value } } as unknown as FastifyRequest;
      assert.equal(prefersSingleVerdicts(request), wanted);
    });
  }
});
