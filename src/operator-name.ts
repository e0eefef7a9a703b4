// Who operates the service from a shell or starts it: the name that the audit trail has for what they do.

import { userInfo } from "node:os";

/** What the trail calls others than operators. */
const reserved: ReadonlySet<string> = new Set(["worker", "retention"]);

/** True for a name that the trail has for something else: a key, or a part of the service. */
export function isReservedName(name: string): boolean {
  return reserved.has(name) || name.startsWith("key_");
}

/** The user of the operating system that runs this process. */
export function readOperatorName(): string {
  const name = readUserName();
  return isReservedName(name) ? `user:${name}` : name;
}

/** A user without an entry in the password file has a number only. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? "unknown"}`;
  }
}
