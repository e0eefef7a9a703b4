// The erased records of which references are redacted, each with the pseudonym that replaces the id of a party.

import type { NodeKey } from "../domain/deletion/erasure.ts";

export type Gone = ReadonlyMap<NodeKey, string | undefined>;
