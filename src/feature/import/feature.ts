// Imports of records from files; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const imports: Feature = {
  name: "import",
  rows,
  commands: { words: ["import"], load: () => import("./commands.ts") },
  console: () => import("./console.ts"),
  service: () => import("./serving.ts"),
};
