// The replay of deletions in a group of writes, which is told that deletions were opened. The statements are in ../sql.

import type { ReplayedPart, ReplayPage } from "../replay.ts";
import * as replay from "../sql/replay.ts";
import type { Act } from "../store.ts";
import type { Group } from "./commit/group.ts";

export function reopenDeletions(
  group: Group,
  args: { readonly page: ReplayPage; readonly act: Act },
): ReplayedPart {
  const part = group.connection.perform(replay.reopenDeletions, args);
  group.deletionsChanged();
  return part;
}
