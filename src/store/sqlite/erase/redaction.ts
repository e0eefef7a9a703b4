// Redacts payloads. The code is loaded when the first erasure needs it: it imports every record type, and loading those
// takes longer than opening the store.

import type { ErasedRecords } from "../../interface/erased-records.ts";

let loaded: typeof import("../../shared/redact-payload.ts") | undefined;

export async function loadRedaction(): Promise<void> {
  loaded ??= await import("../../shared/redact-payload.ts");
}

export function redactPayload(
  resourceType: string,
  payload: string,
  erased: ErasedRecords,
): string {
  if (loaded === undefined) throw new TypeError("an erasure began before its code was loaded");
  return loaded.redactPayload(resourceType, payload, erased);
}
