// The cost of a request in tokens of its organization's rate limit: one for a small request, more for more work.

import { limits } from "../../domain/limits.ts";

export interface Work {
  readonly items: number;
  /** The bytes after decoding. */
  readonly bytes: number;
  readonly processorMs: number;
}

export function tokensOf({ items, bytes, processorMs }: Work): number {
  return Math.max(
    items / limits.itemsPerToken,
    bytes / limits.bytesPerToken,
    processorMs / limits.processorMsPerToken,
  );
}
