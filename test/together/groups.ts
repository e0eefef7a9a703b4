// Which test files run together in one process: those that contain their tests themselves, leave what a process has
// once, such as its environment or its timers, as it was, and measure neither memory nor time.

import { relative } from "node:path";
import { inAnyFeature } from "../parts.ts";

interface Group {
  /** Paths of folders or files in `test`. */
  readonly of: readonly string[];
  /** Those of them that run on their own. */
  readonly but: readonly string[];
}

/** By the name of the file in this folder that runs the group. */
const groups: Readonly<Record<string, Group>> = {
  units: {
    of: [
      "basics/",
      "domain/",
      "files/",
      "client/batcher",
      "client/concurrent-calls",
      "client/options",
      "client/retries",
      "client/tokens",
      "client/upload",
      "http/body/",
      "http/bulk/",
      "http/load/",
      "http/openapi",
      "http/rate-limit/",
      "http/reply/",
      "http/request/",
      "cli/output/",
      "console/html/",
      "metrics/",
      "store/group/",
      "store/sql/statement/",
    ],
    but: [],
  },
  postgres: { of: ["store/postgres/"], but: [] },
  store: { of: ["store/"], but: ["store/sqlite/complete-deletions"] },
  receipt: { of: ["receipt/", "tamper/check"], but: [] },
  backup: { of: ["backup/"], but: [] },
  contract: {
    of: ["contract/"],
    but: [
      "contract/broken-streams",
      "contract/catalogue",
      "contract/on-pooler",
      "contract/on-postgres",
      "contract/unread-streams",
    ],
  },
  console: {
    of: ["console/"],
    but: ["console/openid-browser", "console/screens", "console/tasks"],
  },
  cli: { of: ["cli/"], but: [] },
  features: { of: ["feature/"], but: ["feature/*/apart/"] },
  http: { of: ["http/"], but: ["http/linear-work"] },
  actions: { of: ["actions/", "worker/"], but: [] },
  repository: { of: ["repository/"], but: ["repository/run"] },
  client: { of: ["client/"], but: ["client/operations"] },
  clients: { of: ["clients/", "generated/"], but: [] },
  release: { of: ["deploy/", "release/"], but: [] },
  crash: { of: ["crash/"], but: [] },
  campaigns: {
    of: ["campaign/", "failover/", "fuzz/", "mutants/", "retention/", "soak/", "tamper/", "walks/"],
    but: [],
  },
};

export interface Gathered {
  /** By group. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly others: readonly string[];
}

/** The given files by group; a group of one is none. */
export function gather(files: readonly string[], folder: string): Gathered {
  const nameOf = (file: string) => {
    const path = inAnyFeature(relative(folder, file));
    const isIn = (places: readonly string[]) => places.some((place) => path.startsWith(place));
    const found = Object.entries(groups).find(([, { of, but }]) => isIn(of) && !isIn(but));
    return found?.[0] ?? "";
  };
  const named = Object.entries(Object.groupBy(files, nameOf));
  const gathered = named.filter(([name, own = []]) => name !== "" && own.length > 1);
  const taken = new Set(gathered.flatMap(([, own = []]) => own));
  return {
    groups: Object.fromEntries(gathered) as Gathered["groups"],
    others: files.filter((file) => !taken.has(file)),
  };
}
