// The container image: built without a container engine, checked as an OCI layout, unpacked, and run read-only as the
// user that it names.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { root } from "../repository/tree.ts";
import { fetchToken } from "../support/customer.ts";
import { startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { lacks, ownEnvironment, packService } from "./packed.ts";

const run = promisify(execFile);
const builder = join(root, "deploy/container/build-image.js");

/** What the documentation promises of the compressed image. */
const compressedBytesMax = 90 * 1_000_000;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

interface Manifest {
  readonly schemaVersion: number;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface ImageConfig {
  readonly created: string;
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Volumes: Readonly<Record<string, object>>;
    readonly ExposedPorts: Readonly<Record<string, object>>;
    readonly WorkingDir: string;
    readonly StopSignal: string;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
}

interface Built {
  readonly platform: string;
  readonly digest: string;
  readonly compressed_bytes: number;
}

describe("the container image", () => {
  const folder = makeTempFolder();
  const layout = join(folder, "image");
  let built: Built;
  let manifest: Manifest;
  let image: ImageConfig;

  before(async () => {
    const packed = await packService(folder);
    built = await build(layout, packed);
    manifest = readJson(layout, built.digest) as Manifest;
    image = readJson(layout, manifest.config.digest) as ImageConfig;
  });

  it("holds nothing that differs from build to build: times, users, the order of a folder", () => {
    assert.equal(manifest.layers.length, 3);
    assert.equal(image.created, "1970-01-01T00:00:00.000Z");
    for (const { digest } of manifest.layers) {
      const file = join(layout, "blobs", ...digest.split(":"));
      // The time in the header of gzip.
      assert.equal(readBlob(layout, digest).readUInt32LE(4), 0);
      const words = ["--numeric-owner", "--full-time", "-tvzf", file];
      const list = execFileSync("tar", words, { env: { ...process.env, TZ: "UTC" }, maxBuffer });
      const lines = list.toString().trimEnd().split("\n");
      const entry = /^\S+ (?:0\/0|65532\/65532) +\d+ 1970-01-01 00:00:00 (.+)$/;
      const paths = lines.map((line) => entry.exec(line)?.[1]?.replace(/\/$/, "") ?? line);
      assert.deepEqual(paths, [...paths].sort());
    }
  });

  it("is an OCI layout with one manifest for the platform", () => {
    const text = readFileSync(join(layout, "oci-layout"), "utf8");
    assert.deepEqual(JSON.parse(text), { imageLayoutVersion: "1.0.0" });
    const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as Index;
    assert.equal(index.manifests.length, 1);
    const { manifests } = readJson(layout, index.manifests[0]?.digest ?? "") as typeof index;
    assert.deepEqual(
      manifests.map(({ digest, platform }) => ({ digest, platform })),
      [{ digest: built.digest, platform: { architecture: image.architecture, os: "linux" } }],
    );
    assert.equal(built.platform, `linux/${image.architecture}`);
  });

  it("has blobs of the digests and sizes that it states, and no others", () => {
    const descriptors = [manifest.config, ...manifest.layers];
    for (const { digest, size } of descriptors) {
      const bytes = readBlob(layout, digest);
      assert.equal(bytes.length, size);
      assert.equal(digest, sha256(bytes));
    }
    const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as Index;
    const entries = [...index.manifests, built];
    const named = [...entries, ...descriptors].map(({ digest }) => digest);
    assert.deepEqual(
      readdirSync(join(layout, "blobs/sha256")).sort(),
      named.map((digest) => digest.replace("sha256:", "")).sort(),
    );
    const unpacked = manifest.layers.map(({ digest }) =>
      sha256(gunzipSync(readBlob(layout, digest))),
    );
    assert.deepEqual(image.rootfs, { type: "layers", diff_ids: unpacked });
  });

  it("has the licences of Node and of its libraries, as every package has its own", () => {
    const [first] = manifest.layers;
    const file = join(layout, "blobs", ...(first?.digest ?? "").split(":"));
    const paths = execFileSync("tar", ["-tzf", file]).toString().split("\n");
    assert.ok(paths.includes("usr/share/doc/node/LICENSE"));
    const lists = existsSync("/var/lib/dpkg/info") ? ["libc6", "libstdc++6"] : [];
    for (const name of lists) assert.ok(paths.includes(`usr/share/doc/${name}/copyright`), name);
  });

  it("takes no more room than the documentation says", () => {
    const bytes = built.compressed_bytes;
    assert.ok(bytes <= compressedBytesMax, `${bytes} bytes`);
  });

  it("is what the Containerfile describes", () => {
    const { instructions, argument } = readContainerfile();
    const { config } = image;
    assert.deepEqual(argument("ENTRYPOINT"), config.Entrypoint);
    assert.deepEqual(argument("CMD"), config.Cmd);
    assert.deepEqual(argument("VOLUME"), Object.keys(config.Volumes));
    assert.deepEqual(argument("HEALTHCHECK"), config.Healthcheck.Test.slice(1));
    assert.equal(instructions.get("USER"), config.User);
    assert.equal(instructions.get("WORKDIR"), config.WorkingDir);
    assert.equal(instructions.get("STOPSIGNAL"), config.StopSignal);
    assert.deepEqual([instructions.get("EXPOSE")], Object.keys(config.ExposedPorts));
    assert.deepEqual(instructions.get("ENV")?.split(/\s+/), config.Env);
  });

  it("is read by skopeo", { skip: lacks("skopeo") }, async () => {
    const { stdout } = await run("skopeo", ["inspect", `oci:${layout}`]);
    const inspected = JSON.parse(stdout) as {
      readonly Layers: readonly string[];
      readonly Env: readonly string[];
    };
    assert.deepEqual(
      inspected.Layers,
      manifest.layers.map(({ digest }) => digest),
    );
    assert.deepEqual(inspected.Env, image.config.Env);
  });

  describe("unpacked and run", { skip: !canIsolate() && "needs root and unshare(1)" }, () => {
    const place = join(folder, "root");
    const data = join(folder, "data");

    before(() => {
      mkdirSync(place);
      for (const { digest } of manifest.layers) {
        const file = join(layout, "blobs", ...digest.split(":"));
        execFileSync("tar", ["-xzpf", file, "--numeric-owner", "-C", place]);
      }
      mkdirSync(data, { mode: 0o700 });
      const [uid = 0, gid = 0] = image.config.User.split(":").map(Number);
      chownSync(data, uid, gid);
    });

    /** Words that come before the path of a Node outside, which they replace by the one inside. */
    const inImage = () => ["unshare", "-m", "sh", "-c", isolate, place, data, image.config.User];

    it("holds no shell, and nothing that others may write to or that changes the user", () => {
      const modes = execFileSync("find", [place, "-xdev", "-perm", "/7022", "-not", "-type", "l"]);
      assert.equal(modes.toString(), `${place}/tmp\n`);
      const programs = execFileSync("find", [place, "-type", "f", "-perm", "/111"]).toString();
      const own = programs.split("\n").filter((path) => !path.includes("/lib"));
      assert.deepEqual(
        own.filter((path) => !/\/usr\/local\/bin\/node$|\/app\/|^$/.test(path)),
        [],
      );
      assert.doesNotMatch(programs, /\/(?:sh|bash|busybox|dash)\n/);
    });

    it("serves as its user on a read-only root, stores a record, and stops on SIGTERM", async () => {
      const [entry, bin = ""] = image.config.Entrypoint;
      assert.equal(entry, "/usr/local/bin/node");
      const server = await startServerProcess(environmentOf(image), { bin, under: inImage() });
      const { client, child } = server;
      assert.match(readFileSync(`/proc/${child.pid}/status`, "utf8"), /^Uid:\t65532\t65532\t/m);

      const command = async (...words: readonly string[]) => {
        const rest = [...inImage(), "node", bin, ...words, "--json"];
        const { stdout } = await run("unshare", rest.slice(1), { env: environmentOf(image) });
        return JSON.parse(stdout) as { api_key: string };
      };
      await command("organization", "create", "--name", "Acme", "--id", "acme");
      const { api_key: apiKey } = await command("key", "create", "--organization", "acme");
      const token = await fetchToken(client, { organizationId: "acme", apiKey });
      const body = { assessment_id: "a-1", type: "band", outcome: "LOW", timestamp };
      const path = "/v2/risk_assessment";
      const added = await client.send({ method: "POST", path, token, body });
      assert.equal(added.status, 201, added.text);

      const port = new URL(server.address).port;
      assert.equal(checkHealth(port).status, 0);
      assert.equal(await server.end("SIGTERM"), 0);
      assert.equal(checkHealth(port).status, 1);
      assert.ok(readdirSync(data).includes("sluice.db"));
    });

    const checkHealth = (port: string) => {
      const words = [...inImage(), "node", ...image.config.Healthcheck.Test.slice(2)];
      return spawnSync("unshare", words.slice(1), {
        env: { PATH: process.env["PATH"], PORT: port },
      });
    };
  });
});

describe("the builder of the image", () => {
  const faulty: readonly (readonly [what: string, words: readonly string[], message: RegExp])[] = [
    ["neither output nor root", [], /name either --output or --root/],
    ["an unknown option", ["--outptu", "x"], /Unknown option '--outptu'/],
    ["a level that is none", ["--output", "x", "--level", "10"], /--level must be 1 to 9/],
    ["a root that exists", ["--root", root], /exists; --root makes a new folder/],
    [
      "a package that is not there",
      ["--output", "x", "--package", "no.tgz"],
      /no\.tgz does not exist/,
    ],
  ];
  for (const [what, words, message] of faulty) {
    it(`refuses ${what}`, () => {
      const { status, stderr } = spawnSync(process.execPath, [builder, ...words]);
      assert.equal(status, 2);
      assert.match(stderr.toString(), message);
    });
  }
});

const maxBuffer = 64 * 1_024 * 1_024;

const timestamp = "2026-01-31T09:30:00Z";

/** Words: the root, the data folder and the user; then a Node, which is ignored, and the words for the one inside. */
const isolate =
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount --bind "$1" "$0/data" && ' +
  'mount -t tmpfs tmpfs "$0/tmp" && mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && ' +
  'root=$0 user=$2 && shift 3 && exec chroot --userspec="$user" "$root" /usr/local/bin/node "$@"';

function canIsolate(): boolean {
  return process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;
}

function readBlob(layout: string, digest: string): Buffer {
  return readFileSync(join(layout, "blobs", ...digest.split(":")));
}

function readJson(layout: string, digest: string): unknown {
  return JSON.parse(readBlob(layout, digest).toString());
}

async function build(output: string, packed: string): Promise<Built> {
  const words = [builder, "--output", output, "--package", packed, "--level", "1"];
  const { stdout } = await run(process.execPath, words, { env: ownEnvironment() });
  return JSON.parse(stdout) as Built;
}

/** Instructions of the last stage, with their arguments. */
function readContainerfile() {
  const text = readFileSync(join(root, "deploy/container/Containerfile"), "utf8");
  const lines = (text.split(/^FROM scratch$/m)[1] ?? "").replaceAll("\\\n", " ").split("\n");
  const instructions = new Map(
    lines
      .map((line) => /^([A-Z]+) +(.*)$/.exec(line))
      .map((found) => [found?.[1], found?.[2]?.trim()]),
  );
  const argument = (name: string) =>
    JSON.parse(/\[.*\]$/.exec(instructions.get(name) ?? "")?.[0] ?? "null") as unknown;
  return { instructions, argument };
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function environmentOf({ config }: ImageConfig): Record<string, string> {
  const { PATH = "" } = process.env;
  return { ...Object.fromEntries(config.Env.map(split)), PATH, PORT: "0" };
}

function split(variable: string): readonly [string, string] {
  const at = variable.indexOf("=");
  return [variable.slice(0, at), variable.slice(at + 1)];
}
