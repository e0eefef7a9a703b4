// Exports of records; see README.md.

import type { Feature } from "../feature.ts";

export const exporting: Feature = {
  name: "export",
  commands: { words: ["export"], load: () => import("./commands.ts") },
};
