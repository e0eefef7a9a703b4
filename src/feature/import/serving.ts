// What a serving process does for imports: it removes the progress of old ones.

import { purgePauseMs, withPauses } from "../../worker/upkeep.ts";
import type { OpenService } from "../feature.ts";
import { purgeImports } from "./imports.ts";

export async function open(): Promise<OpenService> {
  return { upkeep: { "removing old imports failed": withPauses(purgePauseMs, purgeImports) } };
}
