// Which test files run together in one process: those that start no other one, change nothing that a process has once,
// such as its environment or its timers, and measure no memory.

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
      "client/batcher",
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
      "bulk/formats/",
      "cli/output/",
      "console/html/",
      "metrics/",
      "store/group/",
      "store/sql/statement/",
    ],
    but: [],
  },
  store: {
    of: ["store/", "receipt/ledger"],
    but: [
      "store/ledger/power-cut",
      "store/postgres/equal-work",
      "store/postgres/opening",
      "store/postgres/reconnection",
      "store/postgres/tls",
      "store/sqlite/complete-deletions",
      "store/sqlite/dead-disk",
      "store/sqlite/deletion-plans",
      "store/sqlite/expired",
      "store/sqlite/full-disk",
      "store/sqlite/opening",
      "store/sqlite/sqlite-version",
    ],
  },
  receipt: {
    of: ["receipt/", "backup/", "disclosure/rank-statistic", "move/", "tamper/check"],
    but: [
      "backup/leftovers",
      "backup/many-deletions",
      "move/refusal",
      "move/interruption",
      "receipt/crash",
      "receipt/closing",
    ],
  },
  contract: {
    of: ["contract/"],
    but: [
      "contract/broken-streams",
      "contract/catalogue",
      "contract/drain",
      "contract/full-disk",
      "contract/identities",
      "contract/identity-attacks",
      "contract/issuer-keys",
      "contract/load-shedding",
      "contract/no-files",
      "contract/on-pooler",
      "contract/on-postgres",
      "contract/postgres-away",
      "contract/stop",
      "contract/unread-streams",
    ],
  },
  console: {
    of: ["console/"],
    but: [
      "console/openid-browser",
      "console/refused-rows",
      "console/screens",
      "console/subjects",
      "console/tasks",
      "console/unstorable-text",
      "console/upload-kill",
    ],
  },
  cli: {
    of: ["cli/", "feature/"],
    but: [
      "cli/failing-start",
      "cli/launcher",
      "cli/other-user",
      "cli/serve",
      "cli/unknown-settings",
      "cli/unusable-files",
      "cli/v8-flags",
      "feature/*/apart/",
      "feature/*/rest/",
    ],
  },
  http: {
    of: ["http/"],
    but: [
      "http/connection/lingering-close",
      "http/connection/pipeline",
      "http/connection/request-watch",
      "http/connection/states",
      "http/linear-work",
      "http/rate-limits-of-processes",
    ],
  },
  actions: {
    of: ["actions/", "worker/"],
    but: ["actions/retention/apply-retention"],
  },
  bulk: {
    of: ["bulk/"],
    but: [
      "bulk/export/moment",
      "bulk/export/postgres",
      "bulk/import/interruption",
      "bulk/import/power-cut",
    ],
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
