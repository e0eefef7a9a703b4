// The cost of a request in tokens of its organization's rate limit: one for a small request, more for one that causes
// more work.

import { limits } from "../../domain/limits.ts";

export interface Work {
  readonly items: number;
  /** The bytes after decoding. */
  readonly bytes: number;
  readonly processorMs: number;
}

/** The number of tokens; less than one for little work. */
export function tokensOf({ items, bytes, processorMs }: Work): number {
  return Math.max(
    items / limits.itemsPerToken,
    bytes / limits.bytesPerToken,
    processorMs / limits.processorMsPerToken,
  );
}
