// Recognizes erased records that do not exist again, in rows and in bytes. Compares whole values, so that PAYMENT-1 is
// not found in PAYMENT-10. Reads nothing itself.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { type RowTexts, storedForm } from "./page-rows.ts";
import { keyText } from "../../shared/record-key.ts";

/** The pairs of columns of a row or an index entry that name a record. */
const names = [
  { resourceType: "resource_type", resourceId: "resource_id" },
  { resourceType: "from_type", resourceId: "from_id" },
  { resourceType: "to_type", resourceId: "to_id" },
] as const;

/** A shorter id occurs by chance in arbitrary bytes, so such ids are only searched for in rows. */
export const bytesAmongOthersMin = 6;

export class ErasedIds {
  readonly #keys: ReadonlySet<string>;
  /**
   * Ids that no existing record of any type and organization has: the id alone is enough to
   * recognize these.
   */
  readonly #ids: ReadonlySet<string>;
  readonly #forms: readonly { readonly id: string; readonly bytes: Buffer }[];

  /** `usedIds`: the ids of all existing records, and of the records that they refer to. */
  constructor(erased: readonly RecordKey[], usedIds: ReadonlySet<string>) {
    this.#keys = new Set(erased.map(keyText));
    this.#ids = new Set(erased.map(({ resourceId }) => resourceId)).difference(usedIds);
    this.#forms = [...this.#ids]
      .filter((id) => Buffer.byteLength(id) >= bytesAmongOthersMin)
      .map((id) => ({ id, bytes: storedForm(id) }));
  }

  /** How many ids are too short to be searched for in the bytes of former rows. */
  get tooShort(): number {
    return this.#ids.size - this.#forms.length;
  }

  /** The ids of erased records that a row names. Not every index entry has the organization and the type. */
  findInRow(texts: RowTexts): readonly string[] {
    const organizationId = texts.get("organization_id");
    return names.flatMap((columns) => {
      const resourceId = texts.get(columns.resourceId);
      if (resourceId === undefined) return [];
      const resourceType = texts.get(columns.resourceType);
      const isErased =
        organizationId === undefined || resourceType === undefined
          ? this.#ids.has(resourceId)
          : this.#keys.has(keyText({ organizationId, resourceType, resourceId }));
      return isErased ? [resourceId] : [];
    });
  }

  /** The ids that occur as whole values in bytes of former rows. */
  findInBytes(bytes: Buffer): readonly string[] {
    return this.#forms.filter((form) => bytes.includes(form.bytes)).map(({ id }) => id);
  }
}
