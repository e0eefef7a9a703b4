// The last change of some types, looked for from the end of a range in bounded parts. It goes as far back as the change
// is: if it gave up before, that would disclose how much has arrived that a reader may not know of.

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

/** `goOn` is awaited before each part; if it returns false, nothing further is read. */
export async function findLastArrival(
  { arrivals }: Pick<Store, "arrivals">,
  { after, through, ...of }: Range,
  goOn: () => Promise<boolean> | boolean = () => true,
): Promise<ArrivedChange | undefined> {
  for (let end = through; end > after && (await goOn()); end -= numbersAtOnce) {
    const part = { after: Math.max(after, end - numbersAtOnce), through: end };
    const query = { ...of, ...part, content: false, limit: 1, fromEnd: true };
    const [last] = await arrivals.list(query);
    if (last !== undefined) return last;
  }
  return undefined;
}
