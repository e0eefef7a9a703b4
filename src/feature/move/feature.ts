// Moving an embedded store to PostgreSQL; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const move: Feature = {
  name: "move",
  rows,
  commands: { words: ["move"], load: () => import("./commands.ts") },
};
