// Recipients of changes and endpoints of webhooks; see README.md.

import type { Feature } from "../feature.ts";
import { subscriptionSettings } from "./settings.ts";
import { rows } from "./rows.ts";

export const subscription: Feature = {
  name: "subscription",
  rows,
  settings: Object.values(subscriptionSettings),
  commands: () => import("./commands.ts"),
  http: () => import("./http.ts"),
  console: () => import("./console.ts"),
  service: () => import("./serving.ts"),
};
