// Record types by name, and changes as they are stored, for tests of what is folded from them.

import assert from "node:assert/strict";
import { canonicalPayload } from "../../../src/domain/record/payload.ts";
import type { Payload, RecordType } from "../../../src/domain/record-type.ts";
import { recordTypeByName } from "../../../src/domain/record-types.ts";
import type { Change } from "../../../src/domain/record/record-write.ts";

export function typeNamed(name: string): RecordType {
  const type = recordTypeByName(name);
  assert.ok(type);
  return type;
}

/** Stored changes, numbered in the given order. */
export function arrived(type: RecordType, payloads: readonly Payload[]): readonly Change[] {
  return payloads.map((payload, index) => ({
    changeNo: index + 1,
    receivedAt: 0,
    payload: canonicalPayload(type, payload),
  }));
}
