// Identities of programs; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";

export const identity: Feature = {
  name: "identity",
  rows,
  commands: () => import("./noun.ts"),
  http: () => import("./grant.ts"),
  console: () => import("./console.ts"),
};
