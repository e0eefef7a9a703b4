// Recipients of changes; see README.md.

import type { Feature } from "../feature.ts";
import { noticeDays, rows } from "./rows.ts";

export const recipient: Feature = {
  name: "recipient",
  rows,
  settings: [noticeDays],
  commands: { words: ["recipient"], load: () => import("./noun.ts") },
  http: () => import("./operations.ts"),
  console: () => import("./console.ts"),
  service: () => import("./serving.ts"),
};
