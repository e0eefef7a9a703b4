// What this engine states about itself.

import { limits } from "../../domain/limits.ts";
import type { EngineTraits } from "../interface/engine-traits.ts";

export const sqliteTraits: EngineTraits = {
  title: "SQLite",
  systemName: "sqlite",
  isServer: false,
  verification: {
    engine: "sqlite",
    bytes: "gone from every file of the store before the status became completed",
  },
  remainsAdvice: undefined,
  // Others wait while a step runs.
  besideWriters: { rowsMax: limits.organizationStepRowsMax, restTimes: 4 },
};
