// What a cluster that fails over needs on this machine.

import { accessSync } from "node:fs";
import { delimiter, join } from "node:path";
import { clusterBinaries } from "./cluster.ts";
import { lacksPgBouncer } from "../support/postgres/pgbouncer.ts";

const programs = [
  "etcd",
  "patroni",
  "haproxy",
  "ip",
  "setpriv",
  join(clusterBinaries, "pg_rewind"),
];

/** Why it can't run here; false if it can. */
export function lacksCluster(): string | false {
  if (process.getuid?.() !== 0) return "needs root, for networks of its own";
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) return `needs ${missing.join(", ")}`;
  return lacksPgBouncer({ prepared: false });
}

export function requireCluster(): void {
  const lack = lacksCluster();
  if (lack !== false) throw new Error(`The failover campaign can't run here: ${lack}.`);
}

function isInstalled(program: string): boolean {
  const folders = program.includes("/") ? [""] : (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program));
      return true;
    } catch {
      return false;
    }
  });
}
