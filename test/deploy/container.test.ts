// The container image, built from its Containerfile with buildah on a base that is made from this machine's own
// programs, and run read-only as the user that it names.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { root } from "../repository/tree.ts";
import { fetchToken } from "../support/customer.ts";
import { startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { writeBaseImage } from "./base-image.ts";
import { lacks } from "../support/lacking-program.ts";

const run = promisify(execFile);

/** What the documentation promises of the compressed image. */
const compressedBytesMax = 130 * 1_000_000;
const maxBuffer = 64 * 1_024 * 1_024;
const timestamp = "2026-01-31T09:30:00Z";
const base = "localhost/node-of-this-machine";

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
}

/** Words: the root, the data folder and the user; then a Node, which is ignored, and the words for the one inside. */
const isolate =
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount --bind "$1" "$0/data" && ' +
  'mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && ' +
  'root=$0 user=$2 && shift 3 && exec chroot --userspec="$user" "$root" /usr/local/bin/node "$@"';

function canIsolate(): boolean {
  return process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;
}

/** Building takes two minutes, most of them for packages that the tests of the package install too. */
const isWanted = process.env["SLUICE_TEST_IMAGE"] === "1";
const skip =
  lacks("buildah") ||
  (isWanted ? false : "takes two minutes (SLUICE_TEST_IMAGE=1)") ||
  (canIsolate() ? false : "needs root and unshare(1)");

describe("the container image", { skip }, () => {
  const folder = makeTempFolder();
  const data = join(folder, "data");
  let place: string;
  let config: ImageConfig;

  const buildah = async (...words: readonly string[]): Promise<string> => {
    const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
    const all = [...storage, "--storage-driver", "vfs", ...words];
    const env = { ...process.env, TMPDIR: folder };
    return (await run("buildah", all, { cwd: folder, env, maxBuffer })).stdout.trim();
  };
  const build = (tag: string, context: string, ...words: readonly string[]) =>
    buildah("bud", "--isolation", "chroot", "--tag", tag, ...words, context);

  before(async () => {
    await build(base, writeBaseImage(join(folder, "base")));
    const source = join(root, "deploy/container");
    const cache = join(homedir(), ".npm");
    const cached = existsSync(cache) ? ["--volume", `${cache}:/root/.npm`] : [];
    await build(
      "localhost/sluice",
      root,
      "--file",
      join(source, "Containerfile"),
      "--ignorefile",
      join(source, "Containerfile.dockerignore"),
      "--build-arg",
      `NODE_IMAGE=${base}`,
      ...cached,
    );
    const inspected = await buildah("inspect", "--type", "image", "localhost/sluice");
    ({ config } = (JSON.parse(inspected) as { OCIv1: { config: ImageConfig } }).OCIv1);
    const container = await buildah("from", "--pull-never", "localhost/sluice");
    place = await buildah("mount", container);
    for (const path of ["dev", "proc"]) mkdirSync(join(place, path), { recursive: true });
    mkdirSync(data, { mode: 0o700 });
    const [uid = 0, gid = 0] = config.User.split(":").map(Number);
    chownSync(data, uid, gid);
  });

  /** Words that come before the path of a Node outside, which they replace by the one inside. */
  const inImage = () => ["unshare", "-m", "sh", "-c", isolate, place, data, config.User];
  const environment = () => ({
    ...Object.fromEntries(config.Env.map((one) => one.split(/=(.*)/s).slice(0, 2))),
    PATH: process.env["PATH"] ?? "",
    PORT: "0",
  });
  const runInside = (words: readonly string[], env: Readonly<Record<string, string>>) =>
    spawnSync("unshare", [...inImage().slice(1), "node", ...words], { env, encoding: "utf8" });

  it("takes no more room than the documentation says", async () => {
    const layout = join(folder, "layout");
    await buildah("push", "localhost/sluice", `oci:${layout}:sluice`);
    const blobs = join(layout, "blobs/sha256");
    const listed = execFileSync("du", ["--bytes", "--summarize", blobs], { encoding: "utf8" });
    const bytes = Number.parseInt(listed, 10);
    assert.ok(bytes <= compressedBytesMax, `${bytes} bytes`);
  });

  it("has the service without what only development needs, and the packages that export traces", () => {
    const packages = readdirSync(join(place, "app/node_modules"));
    for (const name of ["fastify", "pg", "@opentelemetry"])
      assert.ok(packages.includes(name), name);
    for (const name of ["typescript", "oxfmt", "sluice-node"]) {
      assert.ok(!packages.includes(name), name);
    }
    assert.deepEqual(
      readdirSync(join(place, "app")).filter((name) => name === "src" || name === "test"),
      [],
    );
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    assert.equal(config.Labels["org.opencontainers.image.version"], version);
  });

  it("serves as its user on a read-only root, stores a record, and stops on SIGTERM", async () => {
    const [entry, bin = ""] = config.Entrypoint;
    assert.equal(entry, "/usr/local/bin/node");
    assert.deepEqual(config.Cmd, ["serve"]);
    const traced = { ...environment(), OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
    const quick = { ...traced, OTEL_EXPORTER_OTLP_TIMEOUT: "100" };
    const server = await startServerProcess(quick, { bin, under: inImage() });
    const { client, child } = server;
    assert.match(readFileSync(`/proc/${child.pid}/status`, "utf8"), /^Uid:\t65532\t65532\t/m);

    const command = (...words: readonly string[]) => {
      const { status, stdout, stderr } = runInside([bin, ...words, "--json"], environment());
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout) as { api_key: string };
    };
    command("organization", "create", "--name", "Acme", "--id", "acme");
    const { api_key: apiKey } = command("key", "create", "--organization", "acme");
    const token = await fetchToken(client, { organizationId: "acme", apiKey });
    const body = { assessment_id: "a-1", type: "band", outcome: "LOW", timestamp };
    const path = "/v2/risk_assessment";
    const added = await client.send({ method: "POST", path, token, body });
    assert.equal(added.status, 201, added.text);

    const { port } = new URL(server.address);
    const checkHealth = () =>
      runInside(["/app/health-check.js"], { ...environment(), PORT: port }).status;
    assert.equal(checkHealth(), 0);
    assert.equal(await server.end("SIGTERM"), 0);
    assert.equal(checkHealth(), 1);
    assert.ok(readdirSync(data).includes("sluice.db"));
    const backup = runInside(["/app/backup.js", "--help"], environment());
    assert.equal(backup.status, 0, backup.stderr);
  });
});
