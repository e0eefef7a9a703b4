// Rewriting payloads, loaded when the first erasure needs it: it knows every record type, and to load those takes longer
// than to open the store.

import type { NodeKey } from "../../domain/erasure.ts";
import { isOperation, type Job } from "./job.ts";
import type { OperationName } from "./operation.ts";

const partsOfErasure: ReadonlySet<OperationName> = new Set([
  "eraseStep",
  "verifyErasure",
  "completeDeletion",
]);

let loaded: typeof import("../redact-payload.ts") | undefined;

/** To be awaited before these jobs are run; nearly always there is nothing to do. */
export async function loadWhatIsNeeded(jobs: readonly Job[]): Promise<void> {
  if (loaded !== undefined || !jobs.some(isPartOfErasure)) return;
  loaded = await import("../redact-payload.ts");
}

export function redactPayload(
  resourceType: string,
  payload: string,
  gone: ReadonlySet<NodeKey>,
): string {
  if (loaded === undefined) throw new TypeError("an erasure began before its code was loaded");
  return loaded.redactPayload(resourceType, payload, gone);
}

function isPartOfErasure(job: Job): boolean {
  return isOperation(job) && partsOfErasure.has(job.name);
}
