// Bodies that are small to send and expensive to read: long numbers, near-miss and very many keys,
// deep nesting, escapes.

import { gzipSync } from "node:zlib";
import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { listOf, riskAssessment, transaction } from "../records.ts";
import { flooding, requestBytes } from "../sending.ts";

interface HardBody {
  readonly path?: string;
  readonly connections?: number;
  readonly gzip?: boolean;
}

/** Every connection sends the same body repeatedly. */
function bodyFlood(
  title: Title,
  { path = "/v2/transactions/batch", connections = 8, gzip = false }: HardBody,
  makeBody: (context: AbuseContext) => string,
): Abuse {
  return flooding(title, { connections: [connections, 2] }, (context) => {
    const text = Buffer.from(makeBody(context));
    const headers: Record<string, string> = gzip ? { "content-encoding": "gzip" } : {};
    const body = gzip ? gzipSync(text) : text;
    const { token } = context.target;
    const request = requestBytes("POST", path, { token, headers, body });
    return () => request;
  });
}

const megabyte = 1_000_000;

function withAmount(amount: string): string {
  return `[${transaction("n", 7).replace('"amount":7', `"amount":${amount}`)}]`;
}

export const hardLists: readonly Abuse[] = [
  bodyFlood(["long-number", "one number of 250,000 digits, gzipped"], { gzip: true }, () =>
    withAmount(`1.${"0".repeat(250_000)}1`),
  ),
  bodyFlood(["long-exponent", "one exponent of 250,000 digits, gzipped"], { gzip: true }, () =>
    withAmount(`1e${"9".repeat(250_000)}`),
  ),
  bodyFlood(["long-numbers", "10,000 numbers of 400 characters"], {}, (context) =>
    listOf(context.amount(10_000, 1_000), (index) => `{"a":1.${"0".repeat(390)}${index % 10}}`),
  ),
  bodyFlood(["near-miss-keys", "10,000 items with misspelt keys"], {}, (context) =>
    listOf(
      context.amount(10_000, 1_000),
      () => '{"tx_idd":"a","timestanp":1,"tpye":1,"metod":1,"amont":1,"curency":1,"staus":1}',
    ),
  ),
  bodyFlood(["million-keys", "one object with a million keys"], {}, (context) => {
    const keys = Array.from({ length: context.amount(1_000_000, 50_000) }, (_, at) => `"k${at}":1`);
    return `[{${keys.join(",")}}]`;
  }),
  bodyFlood(
    ["same-key", "one object with one key 2 million times"],
    {},
    (context) => `[{${'"a":1,'.repeat(context.amount(2 * megabyte, 50_000))}"a":1}]`,
  ),
  bodyFlood(
    ["five-million-items", "a list of five million items"],
    {},
    (context) => `[${"1,".repeat(context.amount(5 * megabyte, 200_000))}1]`,
  ),
  bodyFlood(
    ["empty-objects", "a list of five million objects"],
    {},
    (context) => `[${"{},".repeat(context.amount(5 * megabyte, 200_000))}{}]`,
  ),
  bodyFlood(["deep-list", "8 million brackets, gzipped"], { gzip: true }, (context) =>
    "[".repeat(context.amount(8 * megabyte, megabyte)),
  ),
  bodyFlood(
    ["deep-object", "two million nested objects, gzipped"],
    { gzip: true },
    (context) => `[${'{"a":'.repeat(context.amount(2 * megabyte, 200_000))}1`,
  ),
  bodyFlood(
    ["endless-list", "a list of numbers without an end, gzipped"],
    { gzip: true },
    (context) => `[[${"1,".repeat(context.amount(8 * megabyte, 500_000) - 2)}`,
  ),
  bodyFlood(["many-deep-items", "a list of items with the maximum depth"], {}, (context) => {
    const deep = `${"[".repeat(13)}${"]".repeat(13)}`;
    return listOf(context.amount(10_000, 1_000), (index) =>
      riskAssessment(`d-${index}`, `,"x":[${`${deep},`.repeat(40)}1]`),
    );
  }),
  bodyFlood(
    ["huge-key", "a key of 15 MB"],
    {},
    (context) => `[{"${"k".repeat(context.amount(15 * megabyte, megabyte))}":1}]`,
  ),
  bodyFlood(
    ["huge-text", "a text of 15 MB of escapes"],
    {},
    (context) => `[{"tx_id":"${"\\u0041".repeat(context.amount(2_500_000, 100_000))}"}]`,
  ),
  bodyFlood(
    ["blanks", "15 MB of blanks around one item, gzipped"],
    { gzip: true },
    (context) => `[${" ".repeat(context.amount(15 * megabyte, megabyte))}1]`,
  ),
  bodyFlood(
    ["single-objects", "64 connections with objects of 64 KB"],
    { path: "/v2/transaction", connections: 64 },
    () => `{"tx_id":"${"x".repeat(60_000)}"}`,
  ),
];
