// The package as a user installs it: packed, installed into an empty folder without development dependencies, and run there.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, globSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { readFile, root } from "../repository/tree.ts";
import { makeCustomer } from "../support/customer.ts";
import { operate } from "../support/server.ts";
import { startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const run = promisify(execFile);

/** What the documentation promises of a folder into which the package is installed. */
const installedBytesMax = 84 * 1_000_000;

const guide = "docs/guides/installation.md";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const transaction = {
  tx_id: "tx-1",
  type: "DEPOSIT",
  method: "SEPA",
  amount: 1_250.5,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "person-81",
  sender_country: "DE",
  timestamp: "2026-01-31T09:30:00Z",
};

describe("the package, installed into an empty folder", () => {
  let packed: Packed;
  let folder: string;
  let bin: string;

  before(async () => {
    folder = makeTempFolder();
    const { stdout } = await npm(root, "pack", "--json", "--pack-destination", folder);
    [packed] = JSON.parse(stdout) as [Packed];
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    await npm(folder, "install", "--prefer-offline", `./${packed.filename}`);
    bin = join(folder, "node_modules/sluice/bin/sluice.js");
  });

  it("holds what was built, with its types, and no source, test or tool", () => {
    const paths = packed.files.map(({ path }) => path);
    const unexpected = paths.filter(
      (path) =>
        !/^(?:dist\/(?:src|client\/src)\/.*\.(?:js|d\.ts)|bin\/sluice\.js|package\.json)$/.test(
          path,
        ) &&
        !/^dist\/src\/console\/frame\/asset\/[\w-]+\.(?:css|svg)$/.test(path) &&
        !/^dist\/src\/store\/(?:sqlite|postgres)\/schema\.sql$/.test(path) &&
        !/^(?:README|CHANGELOG|SECURITY)\.md$|^LICENSE$/.test(path),
    );
    assert.deepEqual(unexpected, []);
    assert.ok(paths.includes("dist/src/cli/main.js") && paths.includes("dist/src/cli/main.d.ts"));
  });

  it("brings nothing that only development needs, and no Node of its own", () => {
    const { packages } = JSON.parse(readFile("package-lock.json").text) as {
      packages: Readonly<Record<string, { dev?: boolean; optional?: boolean }>>;
    };
    const installed = globSync(["*", "@*/*"], { cwd: join(folder, "node_modules") });
    assert.ok(installed.includes("fastify"));
    const needless = installed.filter((name) => {
      const { dev, optional } = packages[`node_modules/${name}`] ?? {};
      return dev === true || (optional === true && name.startsWith("node-"));
    });
    assert.deepEqual(needless, []);
  });

  it("takes no more room than the documentation says", () => {
    const bytes = sizeOf(join(folder, "node_modules"));
    assert.ok(bytes <= installedBytesMax, `${bytes} bytes are installed`);
    const stated = /(\d+) MB on disk with everything it needs/.exec(readFile(guide).text)?.[1];
    assert.ok(
      Math.abs(Number(stated) - bytes / 1e6) <= 8,
      `${guide} says ${stated} MB, not ${bytes}`,
    );
  });

  it("serves, stores a record, stops on SIGTERM, and leaves data that a checkout goes on with", async () => {
    const data = makeTempFolder();
    const environment = { PORT: "0", DATA_DIR: data, DATABASE_URL: `sqlite:${data}/sluice.db` };
    const server = await startServerProcess(environment, { bin });
    const path = "/v2/transaction";
    const { token } = await operate(environment, (app) => makeCustomer(app, server.client));
    const added = await server.client.send({ method: "POST", path, token, body: transaction });
    assert.equal(added.status, 201, added.text);
    const page = await server.client.send({ method: "GET", path: "/docs" });
    assert.equal(page.status, 200);
    assert.equal(await server.end("SIGTERM"), 0);

    const copy = join(makeTempFolder(), "data");
    cpSync(data, copy, { recursive: true });
    const moved = { PORT: "0", DATA_DIR: copy, DATABASE_URL: `sqlite:${copy}/sluice.db` };
    const ofCheckout = await startServerProcess(moved);
    const query = { tx_id: "tx-1" };
    const { status } = await ofCheckout.client.send({ method: "GET", path, token, query });
    assert.equal(status, 200);
    assert.equal(await ofCheckout.end("SIGTERM"), 0);
  });

  it("says which packages the export of traces needs, until they are added", async () => {
    const data = makeTempFolder();
    const traced = {
      PORT: "0",
      DATA_DIR: data,
      DATABASE_URL: `sqlite:${data}/sluice.db`,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_TIMEOUT: "100",
    };
    const { peerDependencies } = JSON.parse(readFile("package.json").text) as {
      peerDependencies: Readonly<Record<string, string>>;
    };
    const needed = Object.entries(peerDependencies).map(([name, range]) => `${name}@${range}`);
    const env = { ...environmentOfNode(), ...traced };
    const failed = run(process.execPath, [bin, "serve"], { env });
    await assert.rejects(failed, ({ stderr }: { stderr: string }) =>
      stderr.replaceAll(/\s+/g, " ").includes(`npm install ${needed.join(" ")}`),
    );
    await npm(folder, "install", "--prefer-offline", ...needed);
    const server = await startServerProcess(traced, { bin });
    assert.equal(await server.end("SIGTERM"), 0);
  });

  it("runs the same command line", async () => {
    const { version } = JSON.parse(readFile("package.json").text) as { version: string };
    const command = join(folder, "node_modules/.bin/sluice");
    const { stdout } = await run(command, ["--version"], { env: environmentOfNode() });
    assert.equal(stdout, `${version}\n`);
  });
});

function npm(cwd: string, ...words: readonly string[]): Promise<{ stdout: string }> {
  return run("npm", words, { cwd, env: environmentOfNode(), maxBuffer: 16 * 1_024 * 1_024 });
}

/** Without what npm passes on to a script that it runs, and with the Node of this process first. */
function environmentOfNode(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH: `${dirname(process.execPath)}:${PATH}`, HOME };
}

/** Bytes on disk. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => statSync(join(folder, path)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { blocks }) => sum + blocks * 512, 0);
}
