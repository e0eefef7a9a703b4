// The erased records whose references are redacted, each with the pseudonym that replaces its id if it is a party.

import type { NodeKey } from "../../domain/deletion/erasure.ts";

export type ErasedRecords = ReadonlyMap<NodeKey, string | undefined>;
