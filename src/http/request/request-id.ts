// X-Request-Id: the client's own if it is fit to stand in a header and a log line, else one of ours.

import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { limits } from "../../domain/limits.ts";

const fit = /^[A-Za-z0-9._:/+=@-]+$/;
const prefix = `req_${randomBytes(6).toString("hex")}`;
let count = 0;

export function requestIdOf(request: IncomingMessage): string {
  const sent = request.headers["x-request-id"];
  if (typeof sent === "string" && sent.length <= limits.requestIdCharactersMax && fit.test(sent)) {
    return sent;
  }
  return newRequestId();
}

export function newRequestId(): string {
  count += 1;
  return `${prefix}${count.toString(36)}`;
}
