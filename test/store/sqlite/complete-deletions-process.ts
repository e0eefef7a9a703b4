// A process that processes three deletions together and kills itself at the given point, counted
// from 1: before or after a request to the writer. Where there is no such point it reports how many
// there were.

import { openWriter } from "../../../src/store/sqlite/connection.ts";
import { SharedDescriptor } from "../../../src/store/sqlite/erase/descriptor.ts";
import { FileTasks } from "../../../src/store/sqlite/file/file-tasks.ts";
import { migrate } from "../../../src/store/sqlite/migration/migrate.ts";
import { makeSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { LocalWriter } from "../../../src/store/sqlite/commit/writer.ts";
import { claim, worker } from "../../conformance/scene.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { eraseOne } from "../../support/one-deletion.ts";

const [path = "", lastPoint = "0"] = process.argv.slice(2);
let points = 0;

function point(): void {
  points += 1;
  if (points === Number(lastPoint)) process.kill(process.pid, "SIGKILL");
}

class WriterWithPoints extends LocalWriter {
  override async submit(job: Parameters<LocalWriter["submit"]>[0]): Promise<unknown> {
    point();
    const result = await super.submit(job);
    point();
    return result;
  }
}

const descriptor = new SharedDescriptor(path);
const connection = openWriter(path);
migrate(connection);
const writer = new WriterWithPoints(connection, undefined);
const sealReceipt = makeTestSeal();
const files = new FileTasks(path, descriptor);
const store = makeSqliteStore({ reader: connection, writer, descriptor, files, sealReceipt });
const ids: string[] = [];
for (let next = await claim(store); next !== undefined; next = await claim(store)) {
  ids.push(next.deletionRequestId);
}
for (const id of ids) while (!(await eraseOne(store, id, 100, worker)));
points = 0;
const outcomes = await store.completeDeletions(ids, worker);
process.send?.({ points, results: outcomes.map(({ result }) => result) });
await store.close();
