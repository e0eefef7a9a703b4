// A service that starts before its database waits for it, and says so.

import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { startProgram } from "../../cli/program.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

describe("a start before the database", () => {
  it("waits until the server accepts writes", async (test) => {
    const server = await startPostgres({ own: true });
    test.after(() => server.remove());
    const url = await server.makeDatabase();
    await server.stop();
    const environment = { DATABASE_URL: url, DATA_DIR: makeTempFolder(), PORT: "0" };
    const settings = { ...environment, DATABASE_START_TIMEOUT_MS: "600000" };
    const { child, ended } = startProgram(["serve"], settings);
    await once(child.stderr, "data");
    await server.startAsReplica();
    await server.promote();
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    const { code, out, err } = await ended;
    assert.match(err, /Waiting up to 600000 ms for the database\. The store at 127\.0\.0\.1:/);
    assert.match(out, /^Listening on/);
    assert.equal(code, 0);
  });

  it("fails when its time is over, and at once where waiting would not help", async (test) => {
    const server = await startPostgres({ own: true });
    test.after(() => server.remove());
    const url = await server.makeDatabase();
    const environment = { DATA_DIR: makeTempFolder(), PORT: "0" };
    const unknown = url.replace(/\/\w+$/, "/not_there");
    const waiting = { ...environment, DATABASE_START_TIMEOUT_MS: "600000" };
    await assert.rejects(startServerProcess({ ...waiting, DATABASE_URL: unknown }), /not_there/);
    await server.stop();
    const short = { ...environment, DATABASE_START_TIMEOUT_MS: "600", DATABASE_URL: url };
    await assert.rejects(startServerProcess(short), /can't be opened: .*REFUSED/);
  });
});
