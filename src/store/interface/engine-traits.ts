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
   * How an organization is erased while others write: the rows of a step, and how long the worker rests after a step,
   * as a multiple of the time that the step has worked.
   */
  readonly besideWriters: { readonly rowsMax: number; readonly restTimes: number };
}
