// The check of replies against the OpenAPI document: it accepts what the document allows, and
// nothing else.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Ask, makeReply, type Reply } from "../support/http-client.ts";
import { makeOpenApiCheck } from "../support/openapi-check.ts";

const ref = (part: string) => ({ $ref: `#/components/${part}` });
const found = {
  type: "object",
  required: ["first_seen"],
  properties: { first_seen: { type: "string", format: "date-time" }, id: ref("schemas/Id") },
  additionalProperties: false,
};

const document = {
  openapi: "3.1.0",
  components: {
    schemas: { Id: { type: "string", maxLength: 3 } },
    headers: { Wait: { schema: { type: "integer", minimum: 1 } } },
    responses: { Limited: { headers: { "Retry-After": ref("headers/Wait") }, content: {} } },
  },
  paths: {
    "/thing": {
      get: {
        responses: {
          "200": {
            headers: { "X-Request-Id": { schema: { type: "string" } } },
            content: { "application/json": { schema: found } },
          },
          "429": ref("responses/Limited"),
        },
      },
      post: {
        responses: {
          "200": {
            content: {
              "application/x-ndjson": { schema: found },
            },
          },
        },
      },
    },
  },
};

const check = makeOpenApiCheck(document as Parameters<typeof makeOpenApiCheck>[0]);
const get: Ask = { method: "GET", path: "/thing", query: { id: "1" } };
const post: Ask = { method: "POST", path: "/thing" };
const seen = { first_seen: "2026-01-31T09:30:00Z" };

function reply(body: unknown, headers: Record<string, string> = {}, status = 200): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = {
    "content-type": "application/json",
    "x-request-id": "1",
    ...headers,
  };
  return makeReply(status, all, Buffer.from(text));
}

const ndjson = { "content-type": "application/x-ndjson" };

describe("a reply that matches the document", () => {
  for (const [what, ask, found_] of [
    ["a body with its headers", get, reply({ ...seen, id: "abc" })],
    ["a query in the path", { ...get, path: "/thing?id=1" }, reply(seen)],
    ["a HEAD, without a body", { ...get, method: "HEAD" }, reply("")],
    [
      "every line of a stream",
      post,
      reply(`${JSON.stringify(seen)}\n${JSON.stringify(seen)}\n`, ndjson),
    ],
    ["an unknown path answered 404", { ...get, path: "/other" }, reply({}, {}, 404)],
    ["an unknown method answered 405", { ...get, method: "PATCH" }, reply({}, {}, 405)],
  ] as const) {
    it(`is accepted: ${what}`, () => check(ask, found_));
  }
});

describe("a reply that does not match the document", () => {
  for (const [what, ask, found_, message] of [
    ["an unknown path", { ...get, path: "/other" }, reply(seen), /not in the document/],
    ["an unknown method", { ...get, method: "PUT" }, reply(seen), /not in the document/],
    ["an unknown status", get, reply(seen, {}, 418), /418 is not in the document/],
    ["another content type", get, reply(seen, { "content-type": "text/plain" }), /text\/plain/],
    ["a missing field", get, reply({}), /first_seen/],
    ["an unknown field", get, reply({ ...seen, more: 1 }), /more/],
    ["a field after a reference", get, reply({ ...seen, id: "abcd" }), /more than 3/],
    ["a format", get, reply({ first_seen: "yesterday" }), /date-time/],
    ["one line of a stream", post, reply(`${JSON.stringify(seen)}\n{}\n`, ndjson), /first_seen/],
    ["a wrong header", get, reply("", { "retry-after": "0" }, 429), /Retry-After: 0/],
    ["a missing header", get, reply("", {}, 429), /lacks the header Retry-After/],
  ] as const) {
    it(`is refused: ${what}`, () => assert.throws(() => check(ask, found_), message));
  }
});
