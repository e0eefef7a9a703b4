// What `npm test` leaves to `npm run test:rest`: what takes longer or needs other programs. All other test files are in
// `npm test`, so that each file belongs to exactly one of the two.

import { relative } from "node:path";

/** Folders and files of `test`, by what they are. */
export const rest: Readonly<Record<string, readonly string[]>> = {
  "short runs of campaigns": [
    "abuse/",
    "campaign/",
    "changes/",
    "crash/",
    "disclosure/disclosure",
    "disclosure/timing",
    "disclosure/twins",
    "durable-streams/",
    "failover/",
    "fuzz/",
    "mutants/",
    "receipt/crash",
    "removal/",
    "retention/",
    "scale/",
    "soak/",
    "tamper/tamper",
  ],
  "engines and poolers": [
    "conformance/postgres-decisions",
    "conformance/versions",
    "contract/on-",
    "receipt/canary-postgres",
    "store/postgres/citus",
    "store/postgres/dump",
    "store/postgres/late-server",
    "store/postgres/managed",
    "store/postgres/outside-transaction",
    "store/postgres/pooler",
    "store/postgres/several-servers",
    "store/postgres/tls",
  ],
  browsers: ["client/browser", "console/openid-browser", "console/screens", "console/tasks"],
  clients: [
    "client/guides",
    "client/package",
    "client/restart",
    "client/operations",
    "clients/",
    "generated/",
  ],
  "packages, images, charts and guides": [
    "deploy/",
    "release/",
    "repository/session",
    "repository/twelfth-type",
    "walks/",
  ],
  "disks, hosts, signals and other users": [
    "backup/drill",
    "backup/leftovers",
    "backup/replaced-store",
    "backup/two-hosts",
    "feature/*/rest/",
    "cli/other-user",
    "cli/serve",
    "cli/unusable-files",
    "contract/broken-streams",
    "contract/drain",
    "contract/full-disk",
    "contract/load-shedding",
    "contract/no-files",
    "contract/stop",
    "contract/unread-streams",
    "http/linear-work",
  ],
};

/** What a test file of the rest is; undefined for those of `npm test`. */
export function kindOf(file: string): string | undefined {
  const path = inAnyFeature(relative(import.meta.dirname, file));
  const isIn = ([, places]: readonly [string, readonly string[]]) =>
    places.some((place) => path.startsWith(place));
  return Object.entries(rest).find(isIn)?.[0];
}

/** Lists of tests name no feature: an asterisk stands for its folder. */
export function inAnyFeature(path: string): string {
  return path.replace(/^feature\/[^/]+\//, "feature/*/");
}

/** The line that `npm test` ends with. */
export function describeRest(files: readonly string[]): string {
  const kinds = Object.entries(Object.groupBy(files, (file) => kindOf(file) ?? ""));
  const parts = kinds.map(([kind, own = []]) => `${kind} (${own.length})`);
  return `# left to npm run test:rest: ${files.length} files: ${parts.join(", ")}`;
}
