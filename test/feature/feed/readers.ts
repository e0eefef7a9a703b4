// How many live requests the services of this process have.

import { after, mock } from "node:test";
import { LiveReaders } from "../../../src/feature/feed/live-changes.ts";

/** Counts those of services that get their first one from now on. */
export function watchReaders(): () => number {
  const { mock: added } = mock.method(LiveReaders.prototype, "add");
  after(() => added.restore());
  return () => {
    const all = new Set(added.calls.map((call) => call.this as LiveReaders));
    return all.values().reduce((sum, { count }) => sum + count, 0);
  };
}
