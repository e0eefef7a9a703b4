// X-Request-Id: the client's own if it is safe in a header and a log line, otherwise a generated one.

import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { limits } from "../../domain/limits.ts";

const valid = /^[A-Za-z0-9._:/+=@-]+$/;
const prefix = `req_${randomBytes(6).toString("hex")}`;
let count = 0;

export function requestIdOf(request: IncomingMessage): string {
  const sent = request.headers["x-request-id"];
  if (
    typeof sent === "string" &&
    sent.length <= limits.requestIdCharactersMax &&
    valid.test(sent)
  ) {
    return sent;
  }
  return newRequestId();
}

export function newRequestId(): string {
  count += 1;
  return `${prefix}${count.toString(36)}`;
}
