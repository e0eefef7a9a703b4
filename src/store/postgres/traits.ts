// What this engine states about itself.

import { limits } from "../../domain/limits.ts";
import type { EngineTraits } from "../interface/engine-traits.ts";

export const postgresTraits: EngineTraits = {
  title: "PostgreSQL",
  systemName: "postgresql",
  isServer: true,
  verification: {
    engine: "postgres",
    bytes:
      "unreachable at completed_at; gone from pages with vacuum and from WAL with its recycling",
  },
  remainsAdvice:
    "On PostgreSQL, VACUUM removes dead rows; VACUUM FULL rewrites the tables named above without free space, and locks them " +
    "while it runs. See docs/reference/what-we-erase.md.",
  // A step only takes processor time from other work, and smaller steps would need more round trips.
  besideWriters: { rowsMax: limits.organizationStepRowsAloneMax, restTimes: 3 },
};
