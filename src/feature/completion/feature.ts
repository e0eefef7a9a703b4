// The completion of command lines by shells; see README.md.

import type { Feature } from "../feature.ts";

export const completion: Feature = {
  name: "completion",
  commands: { words: ["completion"], load: () => import("./commands.ts") },
};
