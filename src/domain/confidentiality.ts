// Which record types are confidential, and what a reader may know: a reader without the read scope of a confidential
// type may not learn anything about its records, not even whether there are any.

import { type CountKind, countKinds } from "./deletion/receipt-count.ts";
import type { RecordType, ResourceType } from "./record-type.ts";
import { recordTypeByName, recordTypes } from "./record-types.ts";
import type { Scope } from "./scope.ts";

const always: readonly ResourceType[] = recordTypes
  .filter(({ confidential }) => confidential === true)
  .map(({ resourceType }) => resourceType);

/** `added`: those that the organization has added. */
export function confidentialTypes(added: readonly ResourceType[] = []): ReadonlySet<ResourceType> {
  return new Set([...always, ...added]);
}

export function findConfidentialityFault(added: readonly ResourceType[]): string | undefined {
  const confidential = confidentialTypes(added);
  for (const name of added) {
    if (recordTypeByName(name)?.deletable === true) {
      return `Records of the type ${name} are deleted by request, so their number can't be confidential.`;
    }
    const more = recordTypes.filter(
      ({ resourceType, relations }) =>
        !confidential.has(resourceType) &&
        relations.some(({ to, kind }) => to === name && kind === "belongs"),
    );
    const names = more.map(({ resourceType }) => resourceType).join(" and ");
    if (more.length > 0) {
      return `Records of the type ${name} can be confidential only together with those that belong to them: ${names}.`;
    }
  }
  return undefined;
}

/** Who is shown deletions: a caller, or an operator. */
export interface Reader {
  readonly confidential: ReadonlySet<ResourceType>;
  readonly covered: ReadonlySet<Scope>;
}

/** Without a reader, whose organization may add types: only if it is confidential everywhere. */
export function isConfidential(
  { resourceType, confidential }: Pick<RecordType, "resourceType" | "confidential">,
  reader?: Pick<Reader, "confidential">,
): boolean {
  return confidential === true || reader?.confidential.has(resourceType) === true;
}

export function mayRead({ covered }: Pick<Reader, "covered">, { family }: RecordType): boolean {
  return covered.has(`${family}:read`);
}

export function mayCount(reader: Reader, type: RecordType): boolean {
  return !reader.confidential.has(type.resourceType) || mayRead(reader, type);
}

export function mayReadAllConfidential(reader: Reader): boolean {
  return [...reader.confidential].every((name) => {
    const type = recordTypeByName(name);
    return type !== undefined && mayRead(reader, type);
  });
}

/** Whether the reader may know how many records of this type were kept. If any were, there was a report. */
export function mayKnowKept(reader: Reader, type: RecordType): boolean {
  const isConfidentialToo = reader.confidential.has(type.resourceType);
  return mayRead(reader, type) && (isConfidentialToo || mayReadAllConfidential(reader));
}

/** The kinds of numbers of this type whose salts the reader may have. */
export function disclosableKinds(reader: Reader, type: RecordType): readonly CountKind[] {
  if (!mayRead(reader, type)) return [];
  return countKinds.filter((kind) => kind !== "kept" || mayKnowKept(reader, type));
}
