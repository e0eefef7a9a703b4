// Values that several examples of the document share.

import type { RecordType } from "../../domain/record-type.ts";

export const exampleOrganizationId = "org_7hJq2mXw9RtLc4Vb";
export const exampleDeletionId = "del_5kPz8nYd3GsWf6Tq";
export const exampleOffset = "019cab0d4800000000007d1f0c4be2a96835f1b60e92d7430ac8";
export const exampleReason = "The customer asked for it.";

export function idExample(type: RecordType): string {
  return String(type.example[type.idField]);
}
