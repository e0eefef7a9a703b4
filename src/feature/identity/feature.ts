// Identities of programs; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const identity: Feature = {
  name: "identity",
  rows,
  commands: { words: ["identity"], load: () => import("./noun.ts") },
  http: () => import("./grant.ts"),
  console: () => import("./console.ts"),
};
