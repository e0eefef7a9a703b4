// The feed of changes; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const feed: Feature = {
  name: "feed",
  rows,
  commands: { words: ["changes"], load: () => import("./commands.ts") },
  http: () => import("./operations.ts"),
};
