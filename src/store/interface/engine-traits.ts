// What an engine states about itself, so that nothing outside the store tells engines apart.

import type { Verification } from "../../domain/deletion/receipt.ts";

export interface EngineTraits {
  /** The name of the product. */
  readonly title: string;
  /** `db.system.name` of OpenTelemetry. */
  readonly systemName: string;
  /** The data is on a server, which other hosts may use: they have ledgers of their own, and it has its own backups. */
  readonly isServer: boolean;
  /** What a receipt says of the engine and of the bytes that were erased (docs/reference/what-we-erase.md). */
  readonly verification: Pick<Verification, "engine" | "bytes">;
  /** How to remove what a scan for erased data found; undefined if nothing has to be done. */
  readonly remainsAdvice: string | undefined;
  /**
   * While others write: the rows of a step of the erasure of an organization, and how many times as long as a step has worked it
   * is followed by a rest.
   */
  readonly besideWriters: { readonly rowsMax: number; readonly restTimes: number };
}
