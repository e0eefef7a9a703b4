// Headers, paths, queries and whole messages that no correct client sends.

import type { Random } from "../support/random.ts";
import { unusualText } from "./unusual-values.ts";

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const unusualHeaders: readonly Headers[] = [
  { "x-request-id": "a".repeat(129) },
  { "x-request-id": "with space" },
  { "x-request-id": "fine-id:1" },
  { "x-request-id": ["one", "two"] },
  { accept: "application/problem+json" },
  { accept: "text/html;q=0.9, */*;q=0" },
  { prefer: "handling=lenient" },
  { prefer: 'handling="lenient"; x=y, respond-async' },
  { prefer: "handling=strict, handling=lenient" },
  { prefer: ",,;;=" },
  { "idempotency-key": "" },
  { "idempotency-key": "k".repeat(256) },
  { "idempotency-key": ["one", "two"] },
  { "idempotency-key": "\u00e9\u00ff" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "application/json;charset=UTF-8;charset=latin1" },
  { "content-type": 'APPLICATION/JSON ; charset="utf-8"' },
  { "content-type": "text/plain" },
  { "content-type": "application/x-ndjson" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": "application/" },
  { "content-type": ";" },
  { "content-type": undefined },
  { "content-encoding": "gzip" },
  { "content-encoding": "br" },
  { "content-encoding": "zstd" },
  { "content-encoding": "gzip, br" },
  { "content-encoding": "__proto__" },
  { "content-encoding": "deflate" },
  { "content-encoding": "identity" },
  { "transfer-encoding": "chunked", "content-length": undefined },
  { range: "bytes=0-1" },
  { "if-none-match": "*" },
  { "if-match": '"x"' },
  { cookie: "a=b; c" },
  { "x-forwarded-for": "1.2.3.4, evil" },
  { "x-http-method-override": "DELETE" },
  { origin: "https://example.org" },
  { te: "trailers" },
  { upgrade: "websocket", connection: "upgrade" },
  { upgrade: "h2c", connection: "upgrade, http2-settings", "http2-settings": "AAMAAABkAAQAAP__" },
  { "x-long": "v".repeat(12_000) },
];

export function someUnusualHeaders(random: Random): Headers {
  let headers: Headers = {};
  for (let times = random.integer(1, 2); times > 0; times -= 1) {
    headers = { ...headers, ...random.pick(unusualHeaders) };
  }
  return headers;
}

/** Values of Authorization that are invalid; the first is a missing one. */
export function badAuthorizations(apiKey: string, token: string): readonly Headers[] {
  const values = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer  ${token} x`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}A`,
    `Bearer ${token.toUpperCase()}`,
    `Basic ${Buffer.from(`user:${token}`).toString("base64")}`,
    `Bearer ${apiKey}`,
    apiKey,
    token,
    `Bearer ${"a".repeat(9_000)}`,
    "Bearer sluice_token_",
    "Bearer \u00e9\u00ff",
    `Token ${token}`,
  ];
  return values.map((authorization) => ({ authorization }));
}

const paths: readonly string[] = [
  "/",
  "//",
  "/v2",
  "/v2/",
  "/v2/transaction/",
  "/v2/transactions",
  "/v2/Transaction",
  "/v2/transaction/../person",
  "/v2/%74ransaction",
  "/v2/transaction%00",
  "/v2/transaction%",
  "/v2/transaction%zz",
  "/v2/transaction;a=b",
  "/v2/__proto__",
  "/v2/constructor",
  "/v2/auth/token/",
  "/health",
  "/health/live/",
  "/metrics/",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/.well-known/sluice-receipts.json",
  "/.well-known/sluice-heads.json",
  "/*",
  "/v2/person?person_id=1&person_id=2",
  "/v2/person?person_id[]=1",
  "/v2/person?person_id=%00",
  "/v2/person?person_id=%ff%fe",
  "/v2/person?person_id=%",
  "/v2/person?person_id",
  "/v2/person?",
  "/v2/person?__proto__=1&constructor=2",
  `/v2/person?person_id=${"a".repeat(300)}`,
  `/v2/${"a".repeat(3_000)}`,
  "/v2/deletion_request?deletion_request_id=",
  "/v2/deletion_request?deletion_request_id=del_x",
];

export function unusualPath(random: Random): string {
  if (random.chance(0.8)) return random.pick(paths);
  return `/v2/person?person_id=${encodeURIComponent(unusualText(random).toWellFormed().slice(0, 2_000))}`;
}

export const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "LOCK",
  "SEARCH",
  "QUERY",
] as const;

/** Whole messages, for a separate socket. */
export const rawMessages: readonly string[] = [
  "\r\n\r\n",
  "GET\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
  "GET / HTTP/1.0\r\n\r\n",
  "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n",
  "get / HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET http://other.example/v2/person HTTP/1.1\r\nHost: x\r\n\r\n",
  "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  "QUERY /v2/person HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n folded\r\n\r\n",
  "GET / HTTP/1.1\nHost: x\n\n",
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${"v".repeat(20_000)}\r\n\r\n`,
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n{}",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n{}",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
  "POST /v2/person HTTP/1.1\r\nHost: x\r\nExpect: something\r\nContent-Length: 2\r\n\r\n{}",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
];
