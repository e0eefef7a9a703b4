// Requests about what is stored on a person or a company; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const subject: Feature = {
  name: "subject",
  rows,
  commands: { words: ["subject"], load: () => import("./commands.ts") },
  console: () => import("./pages.ts"),
};
