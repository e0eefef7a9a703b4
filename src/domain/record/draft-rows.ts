// The cost of storing drafts: a row for each draft and for each of its references.

import type { Draft } from "./record-write.ts";

/** Never throws: an invalid draft has to fail where it is stored. */
export function countDraftRows(drafts: readonly Pick<Draft, "references">[]): number {
  let rows = 0;
  for (const { references } of drafts) rows += 1 + (references?.length ?? 0);
  return rows;
}

/** Parts of at most `itemsMax` drafts and `rowsMax` rows, except for a single draft with more. */
export function partsOf(
  drafts: readonly Draft[],
  { itemsMax, rowsMax }: { readonly itemsMax: number; readonly rowsMax: number },
): readonly (readonly Draft[])[] {
  const parts: Draft[][] = [];
  let part: Draft[] = [];
  let rows = 0;
  for (const draft of drafts) {
    const more = 1 + draft.references.length;
    if (part.length > 0 && (part.length >= itemsMax || rows + more > rowsMax)) {
      parts.push(part);
      part = [];
      rows = 0;
    }
    part.push(draft);
    rows += more;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
