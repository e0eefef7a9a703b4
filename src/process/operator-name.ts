// The actor in the audit trail for the person who operates the service from a shell or starts it.

import { userInfo } from "node:os";
import { isReservedName } from "../domain/operator.ts";

export function readOperatorName(): string {
  const name = readUserName();
  return isReservedName(name) ? `user:${name}` : name;
}

/** A user without an entry in the password file has only a number. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? "unknown"}`;
  }
}
