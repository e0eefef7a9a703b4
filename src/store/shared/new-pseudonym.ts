// Chooses pseudonyms for erased parties: at random, so that nobody can compute one from the id or connect two of them.

import { randomBytes } from "node:crypto";
import { pseudonymFrom } from "../../domain/deletion/party.ts";

export function newPseudonym(): string {
  return pseudonymFrom(randomBytes(16).toString("hex"));
}
