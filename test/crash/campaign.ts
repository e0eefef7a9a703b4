// Kills a server under load, on PostgreSQL also its database server, and compares the store with the replies.

import type { Campaign } from "../campaign/campaign.ts";
import { runCrashes } from "./crash-campaign.ts";
import type { Figures } from "./site.ts";

export const crash: Campaign<Figures> = {
  about: "kills a server under load, and compares the store with the replies",
  counts: "kills",
  countDefault: 25,
  engines: ["sqlite", "postgres"],
  run: runCrashes,
};
