// Finding persons and companies; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const find: Feature = {
  name: "find",
  rows,
  commands: { words: ["subject"], load: () => import("./commands.ts") },
  console: () => import("./console.ts"),
  index: () => import("./build-index.ts"),
};
