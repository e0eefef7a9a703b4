// Keeps writes of a service waiting until the end of the test at the latest, also of one that fails: the service would
// wait for them to stop.

import { afterEach } from "node:test";
import type { Service } from "../../support/service.ts";
import type { Held } from "../../support/store-faults.ts";

export function holdingWrites(service: Service): (calls?: number) => Held {
  const holds: Held[] = [];
  afterEach(() => {
    for (const held of holds.splice(0)) held.release();
  });
  return (calls) => {
    const held = service.holdStore("writeRecords", calls);
    holds.push(held);
    return held;
  };
}
