// The demonstration of the service; see README.md.

import type { Feature } from "../feature.ts";

export const demo: Feature = {
  name: "demo",
  commands: { words: ["demo"], load: () => import("./commands.ts") },
};
