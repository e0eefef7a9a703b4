// Proof for auditors, in the console; see README.md.

import type { Feature } from "../feature.ts";

export const proof: Feature = {
  name: "proof",
  commands: { words: ["receipt", "audit"], load: () => import("./commands.ts") },
  http: () => import("./heads-route.ts"),
  console: () => import("./pages.ts"),
};
