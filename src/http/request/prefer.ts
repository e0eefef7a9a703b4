// The Prefer header (RFC 7240).

import type { FastifyRequest } from "fastify";

/** Up to the next comma outside quotes. A quote without an end reaches to the end, so that nothing is read twice. */
const preferences = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g;
const preference = /^\s*(handling|verdicts)\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i;

/** The first value that the client gives for a preference counts. */
export function prefers({ headers }: FastifyRequest, value: "lenient" | "single"): boolean {
  const name = value === "lenient" ? "handling" : "verdicts";
  const given = String(headers["prefer"] ?? "").match(preferences) ?? [];
  const all = given.map((one) => preference.exec(one.toLowerCase()));
  return all.find((one) => one?.[1] === name)?.[2] === value;
}
