// Changes as they are stored, for tests of what is folded from them.

import { canonicalPayload } from "../../../src/domain/record/payload.ts";
import type { Payload, RecordType } from "../../../src/domain/record-type.ts";
import type { Change } from "../../../src/domain/record/record-write.ts";

/** Stored changes, numbered in the given order. */
export function arrived(type: RecordType, payloads: readonly Payload[]): readonly Change[] {
  return payloads.map((payload, index) => ({
    changeNo: index + 1,
    receivedAt: 0,
    payload: canonicalPayload(type, payload),
  }));
}
