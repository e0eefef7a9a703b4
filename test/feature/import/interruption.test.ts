// Imports that are interrupted, that have a bad network, and that run concurrently: finally every
// row is stored once.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { startFaultyProxy } from "../../client/faulty-proxy.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { startProgram } from "../../cli/program.ts";
import { makeCustomer } from "../../support/customer.ts";
import { makeRandom } from "../../support/random.ts";
import { startService } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { firstOf, type Report } from "./importing.ts";

const service = await startService();
after(() => service.stop());

const transaction = {
  type: "DEPOSIT",
  method: "WIRE",
  amount: 1.5,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "person-1",
  sender_country: "DE",
  timestamp: "2026-01-01T00:00:00Z",
};

type Scene = Awaited<ReturnType<typeof makeScene>>;

async function makeScene() {
  const { organizationId, apiKey } = await makeCustomer(service.app, service.client);
  const folder = makeTempFolder();
  const environment = { SLUICE_API_KEY: apiKey };
  const line = makeCommandLine({ folder, environment });
  return {
    organizationId,
    environment,
    /** Rows from `from` inclusive to `to` exclusive. */
    write: (name: string, from: number, to: number): string => {
      const file = join(folder, name);
      const rows = Array.from({ length: to - from }, (_, index) =>
        JSON.stringify({ ...transaction, tx_id: `tx-${from + index}` }),
      );
      writeFileSync(file, `${rows.join("\n")}\n`);
      return file;
    },
    words: (file: string, address = service.address): readonly string[] => {
      const place = ["--organization", organizationId, "--url", address, "--json"];
      return ["import", file, "--type", "transaction", ...place];
    },
    /** Returns the report of the only file. */
    run: async (words: readonly string[]) => {
      const { code, out, err } = await line.type(...words);
      assert.equal(code, 0, err);
      return countsIn(out);
    },
    /** How many changes each record has, of all records. */
    changes: async (): Promise<readonly number[]> => {
      const { store } = service.app;
      const upTo = await store.latestArrival();
      const about = { organizationId, resourceType: "transaction", after: undefined, upTo };
      const found = await store.listChanges({ ...about, limit: 100_000 });
      return [...Map.groupBy(found, ({ resourceId }) => resourceId).values()].map(
        (changes) => changes.length,
      );
    },
  };
}

function countsIn(out: string): Readonly<Record<string, unknown>> {
  const { rows, written, unchanged, refused, rows_before } = firstOf(out) as Report;
  return { rows, written, unchanged, refused, rows_before };
}

function onceEach(count: number): readonly number[] {
  return Array.from({ length: count }, () => 1);
}

/** Stops the import of a file while its first list is written. */
async function interrupt({ words, environment }: Scene, file: string) {
  const held = service.holdStore("writeRecords");
  const { child, ended } = startProgram([...words(file), "--connections", "1"], environment);
  await held.called;
  child.kill("SIGTERM");
  held.release();
  return ended;
}

describe("an interrupted import", () => {
  it("finishes what is in progress, reports how far it came, and resumes there", async () => {
    const scene = await makeScene();
    const { write, words, run, changes } = scene;
    const file = write("rows.ndjson", 0, 4_000);
    const { code, out, err } = await interrupt(scene, file);
    assert.deepEqual({ code, out }, { code: 1, out: "" });
    const { name, message } = (JSON.parse(err) as { error: { name: string; message: string } })
      .error;
    assert.equal(name, "stopped");
    const stopped =
      /stopped after (1,000|2,000|3,000) rows\. Run the same command to continue/.exec(
        message ?? "",
      );
    const before = Number(stopped?.[1]?.replace(",", ""));
    assert.ok(before > 0, message);
    assert.equal((await changes()).length, before);

    const whole = { rows: 4_000, written: 4_000, unchanged: 0, refused: 0 };
    assert.deepEqual(await run(words(file)), { ...whole, rows_before: before });
    assert.deepEqual(await changes(), onceEach(4_000));
    assert.ok(!existsSync(`${file}.sluice-import.json`));
  });

  it("does not resume with a file that has changed since, and says what to do", async () => {
    const scene = await makeScene();
    const { write, words, environment } = scene;
    const file = write("rows.ndjson", 0, 4_000);
    await interrupt(scene, file);
    write("rows.ndjson", 5, 4_005);
    const state = readFileSync(`${file}.sluice-import.json`, "utf8");
    const line = makeCommandLine({ environment });
    const failure = await line.fail(...words(file));
    assert.deepEqual([failure.code, failure.name], [1, "state"]);
    assert.match(failure.message, /the file has changed since/);
    assert.equal(readFileSync(`${file}.sluice-import.json`, "utf8"), state);
  });
});

describe("an import of several files", () => {
  it("that fails at one of them repeats nothing of the files before", async () => {
    const { write, words, environment, run, changes } = await makeScene();
    await run(words(write("rows.ndjson", 0, 20)));
    const one = write("one.ndjson", 0, 10);
    const other = join(dirname(one), "other.ndjson");
    const [command = "", , ...options] = words(one);
    const updates = [command, one, other, ...options, "--update"];
    const line = makeCommandLine({ environment });
    assert.match((await line.fail(...updates)).message, /There is no file .*other\.ndjson/);
    write("other.ndjson", 10, 20);
    const report = await run(updates);
    assert.deepEqual([report["written"], report["rows_before"]], [10, 10]);
    assert.deepEqual(
      await changes(),
      Array.from({ length: 20 }, () => 2),
    );
    assert.ok(!existsSync(`${one}.sluice-import.json`));
  });
});

describe("an import that waits for a server that is not ready", () => {
  it("stops at once when it is told to, and says how to continue", async () => {
    const { write, words, environment } = await makeScene();
    const asked = Promise.withResolvers<void>();
    const busy = createServer((_request, response) => {
      response.writeHead(503, { "retry-after": "3600", "content-type": "application/json" });
      response.end(JSON.stringify({ code: 50301, message: "Not ready." }), () => asked.resolve());
    });
    busy.listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    const file = write("rows.ndjson", 0, 10);
    const { child, ended } = startProgram(words(file, `http://127.0.0.1:${port}`), environment);
    try {
      await asked.promise;
      child.kill("SIGTERM");
      const { code, out, err } = await ended;
      assert.deepEqual({ code, out }, { code: 1, out: "" });
      assert.match(err, /"name":"stopped".*stopped after 0 rows\. Run the same command/);
    } finally {
      busy.close();
      busy.closeAllConnections();
    }
  });
});

describe("a refused import", () => {
  it("reports at once the reply of the server, with its code", async () => {
    const { write, words } = await makeScene();
    const line = makeCommandLine({ environment: { SLUICE_API_KEY: "sluice_key_unknown" } });
    const failure = await line.fail(...words(write("rows.ndjson", 0, 10)));
    assert.deepEqual([failure.code, failure.name], [1, "server"]);
    assert.match(failure.message, /answered a token with 401 \(401\d\d\): /);
  });
});

describe("an import over an unreliable network", () => {
  it("repeats lists without a complete reply, and each row is stored once", async () => {
    const { write, words, run, changes } = await makeScene();
    const random = makeRandom(5);
    const kinds = ["drop request", "drop reply", "truncate", "bad gateway", "repeat"] as const;
    let faulty = 0;
    const proxy = await startFaultyProxy([service.address], {
      delayMs: 0,
      choose: () => {
        if (faulty >= 6 || random.chance(0.4)) return "none";
        faulty += 1;
        return random.pick(kinds);
      },
    });
    try {
      const report = await run(words(write("rows.ndjson", 0, 8_000), proxy.address));
      assert.deepEqual(report, {
        rows: 8_000,
        written: 8_000,
        unchanged: 0,
        refused: 0,
        rows_before: 0,
      });
    } finally {
      await proxy.close();
    }
    assert.equal(faulty, 6);
    assert.deepEqual(await changes(), onceEach(8_000));
  });
});

describe("two concurrent imports", () => {
  it("of files with common rows write each row once", async () => {
    const { write, words, run, changes } = await makeScene();
    const reports = await Promise.all([
      run(words(write("one.ndjson", 0, 2_000))),
      run(words(write("other.ndjson", 1_000, 3_000))),
    ]);
    const sum = (name: string): number =>
      reports.reduce((total, report) => total + Number(report[name]), 0);
    assert.deepEqual([sum("written"), sum("unchanged"), sum("refused")], [3_000, 1_000, 0]);
    assert.deepEqual(await changes(), onceEach(3_000));
  });

  it("of the same file are one too many: the second is refused and leaves the first alone", async () => {
    const { write, words, environment, run, changes } = await makeScene();
    const file = write("rows.ndjson", 0, 1_000);
    const held = service.holdStore("writeRecords");
    const first = startProgram(words(file), environment);
    await held.called;
    const second = await startProgram(words(file), environment).ended;
    held.release();
    assert.deepEqual([second.code, second.out], [1, ""]);
    const { error } = JSON.parse(second.err) as { error: { name: string; message: string } };
    assert.equal(error.name, "state");
    assert.match(
      error.message,
      new RegExp(`Another import of this file is running \\(process ${first.child.pid}\\)`),
    );
    const { code, out } = await first.ended;
    assert.deepEqual([code, countsIn(out)["written"]], [0, 1_000]);
    assert.deepEqual(await changes(), onceEach(1_000));
    // Once the first has ended, nothing prevents another.
    assert.equal((await run(words(file)))["unchanged"], 1_000);
  });
});
