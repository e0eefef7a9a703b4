// Endpoints of webhooks; see README.md.

import type { Feature } from "../feature.ts";
import { rows, webhookSettings } from "./rows.ts";

export const webhook: Feature = {
  name: "webhook",
  rows,
  settings: Object.values(webhookSettings),
  commands: { words: ["webhook"], load: () => import("./noun.ts") },
  http: () => import("./operations.ts"),
  console: () => import("./console.ts"),
  service: () => import("./serving.ts"),
};
