// Fails over a cluster of PostgreSQL servers under load, and compares the store with the replies.

import type { Campaign } from "../campaign/campaign.ts";
import { crashMany } from "../crash/crash-campaign.ts";
import type { Figures } from "../crash/site.ts";
import { Gaps } from "./gaps.ts";
import { requireCluster } from "./needs.ts";
import { failOver } from "./round.ts";
import { endFailoverSite, makeFailoverSite } from "./site.ts";

export const failover: Campaign<Figures> = {
  about: "fails over a PostgreSQL cluster under load, and compares the store with the replies",
  counts: "rounds",
  countDefault: 16,
  engines: ["postgres"],
  run: (run) => {
    requireCluster();
    const gaps = new Gaps();
    const make = (seed: number) => makeFailoverSite(seed, gaps);
    return crashMany(run, { make, crash: failOver, end: endFailoverSite });
  },
};
