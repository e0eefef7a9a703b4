// Values that several examples of the document share.

import type { RecordType } from "../../domain/record-type.ts";

export const exampleOrganizationId = "org_7hJq2mXw9RtLc4Vb";
export const exampleDeletionId = "del_5kPz8nYd3GsWf6Tq";
export const exampleReason = "The customer asked for it.";

export function idExample(type: RecordType): string {
  return String(type.example[type.idField]);
}
