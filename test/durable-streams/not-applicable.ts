// The conformance tests of Durable Streams that do not apply to the feed of changes, and why. The feed has the read
// part of the protocol.

export interface NotApplicable {
  readonly why: string;
  /** Parts of the full names of the tests. */
  readonly tests: readonly string[];
}

export const notApplicable: readonly NotApplicable[] = [
  {
    why: "The feed of an organization can't be forked.",
    tests: ["^Fork - "],
  },
  {
    why: "A feed is never closed.",
    tests: ["^Stream Closure "],
  },
  {
    why: "Events end when what they are about is erased, not after a time.",
    tests: ["^TTL ", "^HEAD Metadata Edge Cases "],
  },
  {
    why: "Records are written with operations of their own, which have an Idempotency-Key instead.",
    tests: [
      "^Idempotent Producer Operations ",
      "sequence ordering",
      "seq ordering",
      "seq values",
      "incrementing seq",
      "sequence numbers",
      "^HTTP Protocol should return correct headers on POST",
      "^HTTP Protocol should return 404 on POST",
      "content-type mismatch",
      "^Content-Type Validation should (enforce|allow)",
      "should reject empty POST body",
      "should reject missing Content-Type on POST",
      "^JSON Mode should reject",
      "should handle large payload",
      "POST responses",
    ],
  },
  {
    why: "Organizations are created and closed by operators.",
    tests: [
      "^Basic Stream Operations ",
      "on PUT",
      "on DELETE",
      "successful DELETE",
      "PUT responses",
      "idempotent (create|PUT)",
      "PUT without Content-Type",
      "Location header",
    ],
  },
  {
    why: "A token belongs to one organization, so no other feed can be named, nor one that does not exist.",
    tests: ["non-existent stream", "security headers on error responses"],
  },
  {
    why: "Events are JSON in one line: they have no line breaks, and need no base64.",
    tests: ["^SSE Mode .*(base64|binary|text/plain payloads|CRLF)", "chunk-size pagination"],
  },
  {
    why: "Pages of other origins may not read the feed.",
    tests: ["CORS preflight"],
  },
  {
    why: "The end has an offset of its own for each reader, so that it does not disclose what the reader may not know.",
    tests: [
      "correct tail offset for offset=now",
      "offset=now with (long-poll|SSE) mode",
      "SSE for empty stream with correct offset",
    ],
  },
];
