// Proof for auditors, in the console; see README.md.

import type { Feature } from "../feature.ts";

export const proof: Feature = { name: "proof", console: () => import("./pages.ts") };
