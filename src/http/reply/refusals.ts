// Counts refusals by error code and field of the schema. Never contains a value, an id or a name that a client chose.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import type { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { fieldPointer } from "../../domain/validation/field-pointer.ts";
import type { RequestContext } from "./reply.ts";

/** Errors of the same code in the same field; an empty field stands for the whole record or request. */
export type RefusalCount = readonly [code: number, field: string, count: number];

export interface Refused {
  readonly resourceType: string | undefined;
  readonly caller: Pick<Identity, "organizationId" | "keyId"> | undefined;
  readonly counts: readonly RefusalCount[];
}

export type OnRefused = (refused: Refused) => void;

export function countRefusals(
  items: readonly Partial<Pick<AppError, "code" | "errors">>[],
  type: RecordType | undefined,
): readonly RefusalCount[] {
  const found = new Map<string, [number, string, number]>();
  for (const { code, errors = [] } of items) {
    if (code === undefined) continue;
    const fields =
      type === undefined ? [] : errors.map(({ field = "" }) => fieldPointer(type, field));
    for (const field of fields.length === 0 ? [""] : fields) {
      const key = `${code}${field}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, [code, field, 1]);
      else known[2] += 1;
    }
  }
  return [...found.values()];
}

/** Reports refusals unless the type is confidential: not even the number of its requests may be known. */
export function reportRefusals(
  onRefused: OnRefused,
  { operation, caller }: Pick<RequestContext, "operation" | "caller">,
  counts: readonly RefusalCount[],
): void {
  const type = operation?.type;
  if (counts.length === 0 || (type !== undefined && isConfidential(type, caller))) return;
  onRefused({ resourceType: type?.resourceType, caller, counts });
}
