// Images for both platforms in one layout, from programs that only have the headers of ELF files, and a small application.
// test/deploy/container.test.ts builds and runs the whole image, for the platform of the machine.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

interface Input {
  readonly node: string;
  readonly libraries: string;
  readonly application: string;
}

/** Plain JavaScript, because it also runs in the build of a container engine. */
async function importBuilder(name: string): Promise<unknown> {
  return (await import(join(root, "deploy/container", name))) as unknown;
}

const { layersOf } = (await importBuilder("root-filesystem.js")) as {
  readonly layersOf: (input: Input) => readonly object[];
};
const { writeImage } = (await importBuilder("oci-layout.js")) as {
  readonly writeImage: (folder: string, image: object) => Promise<unknown>;
};

const machines = { amd64: 62, arm64: 183 } as const;
type Architecture = keyof typeof machines;

const triplets = { amd64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" } as const;
const loaders = { amd64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" };

interface Index {
  readonly manifests: readonly {
    readonly digest: string;
    readonly platform?: { readonly architecture: string; readonly os: string };
  }[];
}

describe("an image for two platforms", () => {
  it("has a manifest for each, and in it only programs and libraries for that one", async () => {
    const folder = makeTempFolder();
    const layout = join(folder, "image");
    for (const architecture of ["amd64", "arm64"] as const) {
      const layers = layersOf(makeInput(join(folder, architecture), architecture));
      const options = { level: 1, createdSeconds: 0, version: "1.2.3" };
      await writeImage(layout, { ...options, architecture, layers });
    }
    const { manifests } = readManifests(layout);
    const platforms = manifests.map(({ platform }) => platform);
    assert.deepEqual(platforms, [
      { architecture: "amd64", os: "linux" },
      { architecture: "arm64", os: "linux" },
    ]);
    for (const { digest, platform } of manifests) {
      const { layers, config } = JSON.parse(readBlob(layout, digest).toString()) as {
        readonly layers: readonly { readonly digest: string }[];
        readonly config: { readonly digest: string };
      };
      const image = JSON.parse(readBlob(layout, config.digest).toString()) as {
        architecture: string;
      };
      assert.equal(image.architecture, platform?.architecture);
      const machinesInside = layers.flatMap((layer) =>
        machinesOf(gunzipSync(readBlob(layout, layer.digest))),
      );
      // Node, its loader and two libraries.
      const machine = machines[platform?.architecture as Architecture];
      assert.deepEqual(machinesInside, [machine, machine, machine, machine]);
    }
  });

  it("is refused if a library is there only for the other one", () => {
    const place = makeTempFolder();
    const input = makeInput(place, "arm64");
    writeFileSync(join(input.libraries, "usr/lib/aarch64-linux-gnu/libm.so.6"), makeElf("amd64"));
    assert.throws(() => layersOf(input), /needs libm\.so\.6 for arm64, which is not in/);
  });

  it("is refused if a dependency contains machine code", () => {
    const input = makeInput(makeTempFolder(), "arm64");
    write(join(input.application, "node_modules/fast/fast.node"), makeElf("amd64"));
    assert.throws(() => layersOf(input), /node_modules\/fast\/fast\.node is machine code/);
  });
});

/** In the folder `lib64`, which is searched too, is a library for the other machine. */
function makeInput(folder: string, architecture: Architecture): Input {
  const libraries = join(folder, "libraries");
  const own = join(libraries, "usr/lib", triplets[architecture]);
  const other = architecture === "amd64" ? "arm64" : "amd64";
  write(join(libraries, loaders[architecture]), makeElf(architecture));
  write(join(libraries, "lib64/libm.so.6"), makeElf(other));
  write(join(own, "libm.so.6"), makeElf(architecture));
  write(join(own, "libc.so.6"), makeElf(architecture));
  const node = join(folder, "node");
  const needed = ["libc.so.6", "libm.so.6"];
  write(node, makeElf(architecture, { interpreter: loaders[architecture], needed }));
  const application = join(folder, "application");
  write(join(application, "bin/sluice.js"), "export {};\n");
  write(join(application, "node_modules/one/index.js"), "export {};\n");
  return { node, libraries, application };
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

interface Needs {
  readonly interpreter: string;
  readonly needed: readonly string[];
}

/** A 64-bit ELF file of headers only: one segment that is loaded at address 0, the interpreter, and the dynamic section. */
function makeElf(architecture: Architecture, needs?: Needs): Buffer {
  const header = Buffer.alloc(64);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeUInt16LE(machines[architecture], 18);
  if (needs === undefined) return header;
  const names = [...needs.needed];
  const strings = Buffer.from(`\0${names.map((name) => `${name}\0`).join("")}`);
  const interpreter = Buffer.from(`${needs.interpreter}\0`);
  const [segmentsAt, segmentBytes, entryBytes] = [64, 56, 16];
  const stringsAt = segmentsAt + 3 * segmentBytes;
  const interpreterAt = stringsAt + strings.length;
  const dynamicAt = interpreterAt + interpreter.length;
  const dynamic = Buffer.alloc((names.length + 2) * entryBytes);
  const entries = [
    ...names.map((name) => [1, strings.indexOf(`${name}\0`)] as const),
    [5, stringsAt] as const,
  ];
  for (const [index, [tag, value]] of entries.entries()) {
    dynamic.writeBigInt64LE(BigInt(tag), index * entryBytes);
    dynamic.writeBigUInt64LE(BigInt(value), index * entryBytes + 8);
  }
  header.writeBigUInt64LE(BigInt(segmentsAt), 32);
  header.writeUInt16LE(segmentBytes, 54);
  header.writeUInt16LE(3, 56);
  const total = dynamicAt + dynamic.length;
  const segments = [
    makeSegment(1, 0, total),
    makeSegment(3, interpreterAt, interpreter.length),
    makeSegment(2, dynamicAt, dynamic.length),
  ];
  return Buffer.concat([header, ...segments, strings, interpreter, dynamic]);
}

function makeSegment(type: number, offset: number, size: number): Buffer {
  const segment = Buffer.alloc(56);
  segment.writeUInt32LE(type, 0);
  segment.writeBigUInt64LE(BigInt(offset), 8);
  segment.writeBigUInt64LE(BigInt(offset), 16);
  segment.writeBigUInt64LE(BigInt(size), 32);
  return segment;
}

function readBlob(layout: string, digest: string): Buffer {
  return readFileSync(join(layout, "blobs", ...digest.split(":")));
}

function readManifests(layout: string): Index {
  const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as Index;
  return JSON.parse(readBlob(layout, index.manifests[0]?.digest ?? "").toString()) as Index;
}

/** e_machine of each ELF file in an archive, whose files begin at multiples of 512 bytes. */
function machinesOf(archive: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + 20 <= archive.length; at += 512) {
    if (archive.readUInt32BE(at) === 0x7f454c46) found.push(archive.readUInt16LE(at + 18));
  }
  return found;
}
