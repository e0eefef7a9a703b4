// The last change of some types, looked for from the end of a range in bounded parts. It goes as far back as the change
// is: if it gave up before, that would disclose how much has arrived that a reader may not know of.

import type { Turns } from "../../basics/turns.ts";
import type { Store } from "../../store/interface/store.ts";
import type { ArrivedChange } from "../../domain/record/record-write.ts";

/** How many arrival numbers one statement covers, so that it is short even if few of them are of the types. */
export const numbersAtOnce = 16_384;

export interface Range {
  readonly organizationId: string;
  readonly types: readonly string[];
  /** Changes beyond this number, and up to `through`. */
  readonly after: number;
  readonly through: number;
}

/** Each part is a turn of the organization. When the signal is aborted, nothing further is read. */
export async function findLastArrival(
  { store, turns }: { readonly store: Pick<Store, "arrivals">; readonly turns: Turns },
  { after, through, ...of }: Range,
  signal?: AbortSignal,
): Promise<ArrivedChange | undefined> {
  for (let end = through; end > after; end -= numbersAtOnce) {
    await turns.next(of.organizationId);
    if (signal?.aborted === true) break;
    const part = { after: Math.max(after, end - numbersAtOnce), through: end };
    const query = { ...of, ...part, content: false, limit: 1, fromEnd: true };
    const [last] = await store.arrivals.list(query);
    if (last !== undefined) return last;
  }
  return undefined;
}
