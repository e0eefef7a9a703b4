// A process that ends the holds whose time has passed, updates the ledger, processes what is due, and kills itself at
// the given point, counted from 1. Where there is no such point it completes all, and reports how many there were.

import { keepLedger } from "../../src/actions/ledger/keep-ledger.ts";
import { endHolds } from "../../src/actions/retention/holds.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import type { DeletionLedger } from "../../src/store/interface/ledger.ts";
import type { Store } from "../../src/store/interface/store.ts";

const lastPoint = Number(process.argv[2]);
let points = 0;

function point(): void {
  points += 1;
  if (points === lastPoint) process.kill(process.pid, "SIGKILL");
}

type Method = (...sent: readonly unknown[]) => Promise<unknown>;

/**
 * A point before and after each call, and only after a claim that returns something: how often the
 * worker looks for further deletions depends on how long it takes. An erasure proceeds record by
 * record.
 */
function withPoints<Real extends Store | DeletionLedger | Store["holds"]>(real: Real): Real {
  return new Proxy(real, {
    get(_, name) {
      const value: unknown = Reflect.get(real, name, real);
      if (name === "holds") return withPoints(value as Store["holds"]);
      if (typeof value !== "function") return value;
      return async (...sent: readonly unknown[]) => {
        const isClaim = name === "claimDeletions";
        if (!isClaim) point();
        const given = name === "eraseStep" ? [sent[0], 1, sent[2]] : sent;
        const result = await (value.bind(real) as Method)(...given);
        if (!isClaim || (result as readonly unknown[]).length > 0) point();
        return result;
      };
    },
  });
}

const opened = await openApp(readConfig(process.env), { role: "serve" });
const app = { ...opened, store: withPoints(opened.store), ledger: withPoints(opened.ledger) };
const stopping = new AbortController().signal;
while ((await endHolds(app)).more);
await keepLedger(app);
while ((await processDeletions(app, { claimant: "child", stopping })).length > 0);
process.send?.({ points });
await opened.close();
