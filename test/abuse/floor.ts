// The floor of an abuse: the latencies of a good client next to it, at a server that only replies.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Abuse, Target } from "./abuse.ts";
import type { Preparation } from "./abuser-process.ts";
import { AskedChild } from "./child-messages.ts";
import type { PhaseReport } from "./good-client.ts";
import type { AbuseOptions } from "./run-abuse.ts";

const processes = ["floor-process.ts", "good-client-process.ts", "abuser-process.ts"] as const;

export async function measureFloor(
  { name }: Abuse,
  { seed, short, abuseMs, warmUpMs }: AbuseOptions,
): Promise<PhaseReport> {
  const children = processes.map((file) => new AskedChild(join(import.meta.dirname, file)));
  const [server, good, abuser] = children as [AskedChild, AskedChild, AskedChild];
  try {
    const address = (await server.ask("start")) as string;
    const target: Target = { address, organizationId: "", token: "", apiKey: "", environment: {} };
    await good.ask("start", { address, token: "" });
    await abuser.ask("prepare", { name, target, seed, short } satisfies Preparation);
    await sleep(warmUpMs);
    await good.ask("endPhase");
    await abuser.ask("run", { milliseconds: abuseMs });
    return (await good.ask("endPhase")) as PhaseReport;
  } finally {
    await Promise.all(children.map((child) => child.end()));
  }
}
