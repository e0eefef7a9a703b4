// Compares what came back with what was promised. Anything else ends the demonstration with an error.

import { isDeepStrictEqual } from "node:util";
import { OperatorError } from "../../actions/operator-error.ts";
import type { Reply } from "./client.ts";

const shownCharactersMax = 500;

/** The reply's body as an object; throws OperatorError unless the status and each of the fields are as given. */
export function expectReply(
  reply: Reply,
  status: number,
  fields: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const body = asObject(reply.body);
  const wrong = Object.entries(fields).find(
    ([name, value]) => !isDeepStrictEqual(body[name], value),
  );
  if (reply.status === status && wrong === undefined) return body;
  const promised = wrong === undefined ? "" : ` with ${wrong[0]} ${JSON.stringify(wrong[1])}`;
  throw brokenPromise(`${reply.request} should be answered with ${status}${promised}`, reply);
}

export function brokenPromise(promise: string, { status, body }: Reply): OperatorError {
  const shown = JSON.stringify(body).slice(0, shownCharactersMax);
  return new OperatorError("broken_promise", `${promise}, but was with ${status} ${shown}`);
}

/** A field that has to be text. */
export function textOf(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  if (typeof value === "string" && value !== "") return value;
  throw new OperatorError(
    "broken_promise",
    `A reply should have the text ${field}, but has ${Object.keys(body).join(", ")}.`,
  );
}

function asObject(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null
    ? (body as Readonly<Record<string, unknown>>)
    : {};
}
