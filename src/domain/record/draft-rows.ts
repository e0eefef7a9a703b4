// What drafts cost a store: a row each, and one for each record that they belong to or mention.

import type { Draft } from "./record-write.ts";

/** Never throws: a draft at fault has to fail where it is stored. */
export function countDraftRows(drafts: readonly Pick<Draft, "references">[]): number {
  let rows = 0;
  for (const { references } of drafts) rows += 1 + (references?.length ?? 0);
  return rows;
}

/** Parts of at most `itemsMax` drafts and, unless a single one has more, `rowsMax` rows; none for no drafts. */
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
