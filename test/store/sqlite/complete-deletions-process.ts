// A process that processes three deletions, the last two together, and kills itself at the given point of these,
// counted from 1: before or after a request to the writer or a new scrub mark. Where there is no such point it closes
// the store, and reports how many there were.

import { worker } from "../../conformance/scene.ts";
import { openRecorded } from "./erase/recorded-store.ts";

const [path = "", lastPoint = "0"] = process.argv.slice(2);
let points = 0;

const { store } = await openRecorded(path, () => {
  points += 1;
  if (points === Number(lastPoint)) process.kill(process.pid, "SIGKILL");
});
const ids: string[] = [];
points = Number.NEGATIVE_INFINITY;
for (let next = await store.claim(); next !== undefined; next = await store.claim()) {
  ids.push(next.deletionRequestId);
}
for (const id of ids) while (!(await store.eraseOne(id, 100)));
const first = await store.completeDeletions(ids.slice(0, 1), worker);
points = 0;
const outcomes = await store.completeDeletions(ids.slice(1), worker);
const completing = points;
await store.close();
const results = [...first, ...outcomes].map(({ result }) => result);
process.send?.({ points, completing, results });
process.disconnect?.();
