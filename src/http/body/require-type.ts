// The record type of an operation that must have one; its lack is a mistake in the route table.

import type { RecordType } from "../../domain/record-type.ts";
import type { Operation } from "../operation.ts";

export function requireType({ name, type }: Operation): RecordType {
  if (type === undefined) throw new Error(`the operation ${name} has no record type`);
  return type;
}
