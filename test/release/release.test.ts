// `npm run release` in a copy of the checkout: what it packs, what it says and its exit status; that packing again
// gives the same bytes; and that what was packed can be installed and run by a user.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Checkout } from "../../tools/release/check.ts";
import { packNpm } from "../../tools/release/package-set.ts";
import { lacks } from "../support/lacking-program.ts";
import { readFile, root } from "../repository/tree.ts";
import { makeCustomer } from "../support/customer.ts";
import { operate } from "../support/server.ts";
import { startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { commitAll, copyOf, edit } from "./copy.ts";

const run = promisify(execFile);
const notes = "## [Unreleased]\n\n## [";

const folders = [".github", "bin", "client", "clients", "deploy", "src", "tools"];
const files = [
  ".gitignore",
  ".npmrc",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "package.json",
  "package-lock.json",
  "tsconfig.build.json",
  "tsconfig.json",
  "docs/guides/installation.md",
];

/** What a release is made from, committed on main, with nothing unreleased. */
function copyAll(): Checkout {
  const copy = copyOf(...folders, ...files);
  const entry = `${notes}${copy.version}] - 2026-01-31\n\n### Added\n\n- It.\n`;
  writeFileSync(join(copy.root, "CHANGELOG.md"), `# Changelog\n\n${entry}`);
  symlinkSync(join(root, "node_modules"), join(copy.root, "node_modules"));
  edit(copy, ".gitignore", (text) => text.replace("node_modules/", "node_modules"));
  // Another test checks the types.
  edit(copy, "package.json", (text) => text.replace("build.json", "build.json --noCheck"));
  commitAll(copy);
  return copy;
}

async function release(
  { root: cwd }: Checkout,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const program = join(cwd, "tools/release/main.ts");
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...words], { cwd });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

const checkout = copyAll();
const released = release(checkout);

describe("npm run release", () => {
  it("packs everything and says how to publish it", async () => {
    const { code, stdout, stderr } = await released;
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Nothing was published\. To publish it, push the tag/);
    const { version } = checkout;
    const expected = [
      `go/sluice-go-${version}.tar.gz`,
      `helm/sluice-${version}.tgz`,
      `npm/sluice-${version}.tgz`,
      `npm/sluice-client-${version}.tgz`,
      `sbom/sluice-${version}.cdx.json`,
    ];
    const sums = readFileSync(join(checkout.root, "release/SHA256SUMS"), "utf8")
      .trimEnd()
      .split("\n");
    for (const path of expected)
      assert.ok(
        sums.some((line) => line.endsWith(`  ${path}`)),
        path,
      );
    for (const line of sums) {
      const [hash, path = ""] = line.split("  ");
      assert.equal(hashOf(join(checkout.root, "release", path)), hash);
    }
  });

  it("packs the same bytes again, from files with other times", async () => {
    const again = makeTempFolder();
    for (const path of ["LICENSE", "client/src/sluice.ts", "client/package.json"]) {
      utimesSync(join(checkout.root, path), 1, 1);
    }
    await packNpm(checkout.root, "./client", again);
    const name = `sluice-client-${checkout.version}.tgz`;
    assert.equal(hashOf(join(again, name)), hashOf(join(checkout.root, "release/npm", name)));
  });

  it("packs a chart that helm accepts", { skip: lacks("helm") }, () => {
    const chart = join(checkout.root, `release/helm/sluice-${checkout.version}.tgz`);
    const { status, stderr } = spawnSync("helm", ["lint", "--strict", chart], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });

  it("does not replace a folder with other files", async () => {
    const folder = makeTempFolder();
    writeFileSync(join(folder, "mine"), "");
    const { code, stdout } = await release(checkout, "--dry-run", "--output", folder);
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {2}packages {4}.* has other files \(mine\); name an empty folder/);
    assert.match(stdout, /Not ready: 1 of the checks failed\. Nothing was published\.\n$/);
  });

  it("names what is wrong, and does not say how to publish", async () => {
    const restore = edit(checkout, "client/package.json", (text) =>
      text.replace(checkout.version, "7.7.7"),
    );
    const { code, stdout } = await release(checkout, "--output", ".");
    restore();
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {2}work tree/);
    assert.match(stdout, /FAILED {2}versions .*client\/package\.json/);
    assert.doesNotMatch(stdout, /git tag|git push/);
  });

  it("refuses options that it does not know", async () => {
    const { code, stdout, stderr } = await release(checkout, "--publish");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^release: Unknown option '--publish'/);
  });
});

/** What the documentation promises of a folder into which the package is installed. */
const installedBytesMax = 84 * 1_000_000;

const guide = "docs/guides/installation.md";

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

describe("the released package, installed into an empty folder without development dependencies", () => {
  const folder = makeTempFolder();
  const bin = join(folder, "node_modules/sluice/bin/sluice.js");
  const packed = join(checkout.root, `release/npm/sluice-${checkout.version}.tgz`);

  before(async () => {
    await released;
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    await npm(folder, "install", "--prefer-offline", packed);
  });

  it("holds what was built, with its types, and no source, test or tool", () => {
    const { stdout } = spawnSync("tar", ["-tzf", packed], { encoding: "utf8" });
    const paths = stdout
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""));
    const unexpected = paths.filter(
      (path) =>
        !/^(?:dist\/(?:src|client\/src)\/.*\.(?:js|d\.ts)|bin\/sluice\.js|package\.json)$/.test(
          path,
        ) &&
        !/^dist\/src\/console\/frame\/asset\/[\w-]+\.(?:css|svg)$/.test(path) &&
        !/^dist\/src\/(?:\w+\/)+schema\.sql$/.test(path) &&
        !/^dist\/src\/feature\/\w+\/[\w-]+\.css$/.test(path) &&
        !/^dist\/src\/feature\/import\/map\/preset\/[\w-]+\.json$/.test(path) &&
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

    const copied = join(makeTempFolder(), "data");
    cpSync(data, copied, { recursive: true });
    const moved = { PORT: "0", DATA_DIR: copied, DATABASE_URL: `sqlite:${copied}/sluice.db` };
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

/** What says how the registry is reached; without it npm tries for minutes where the cache lacks something. */
const networkSettings = [
  "NODE_EXTRA_CA_CERTS",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "npm_config_registry",
] as const;

function npm(cwd: string, ...words: readonly string[]): Promise<{ stdout: string }> {
  const network = networkSettings.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...environmentOfNode(), ...Object.fromEntries(network) };
  return run("npm", words, { cwd, env, maxBuffer: 16 * 1_024 * 1_024 });
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
