// What an engine states about itself, so that nothing outside the store tells engines apart.

import type { Verification } from "../../domain/deletion/receipt.ts";

export interface EngineTraits {
  /** The name of the product. */
  readonly title: string;
  /** `db.system.name` of OpenTelemetry. */
  readonly systemName: string;
  /** Other hosts may use the data: each has a ledger of its own, and the server has its own backups. */
  readonly isServer: boolean;
  /** What a receipt says about the engine and about the erased bytes (docs/reference/what-we-erase.md). */
  readonly verification: Pick<Verification, "engine" | "bytes">;
  /** How to remove what a scan for erased data found; undefined if nothing has to be done. */
  readonly remainsAdvice: string | undefined;
  /** The rows of a step beside writers, and the pause after it as a multiple of its time. */
  readonly besideWriters: { readonly rowsMax: number; readonly restTimes: number };
}
