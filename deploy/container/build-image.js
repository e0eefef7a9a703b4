#!/usr/bin/env node
// Builds the container image without a container engine: from the packed package, the locked dependencies, a Node and
// the libraries that it needs. Same input, same digest. `--help` lists the options.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readElf } from "./elf.js";
import { writeImage } from "./oci-layout.js";
import { layersOf, writeRoot } from "./root-filesystem.js";

const checkout = resolve(import.meta.dirname, "../..");
const help = `Usage: node deploy/container/build-image.js --output FOLDER [options]

  --output FOLDER     OCI image layout to write, or to add another platform to
  --root FOLDER       write the root file system into this new folder instead
  --package FILE      package to put in; without it, npm pack makes one from this checkout
  --node FILE         Node for Linux, for the platform of the image (default: the one that runs this)
  --libraries FOLDER  root of a file system with the libraries of that Node (default: /)
  --level N           compression from 1 (fast) to 9 (small; default)
  --help              this text

The time in SOURCE_DATE_EPOCH (seconds, default 0) is the only one in the image.
`;

class UsageError extends Error {}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof UsageError || error.code?.startsWith("ERR_PARSE_ARGS");
  process.stderr.write(`build-image: ${error.message}\n`);
  process.exitCode = isUsage ? 2 : 1;
}

async function main() {
  const options = readOptions();
  if (options === undefined) return;
  const work = mkdtempSync(join(tmpdir(), "sluice-image-"));
  try {
    const application = install(options.package ?? pack(work), work);
    const { version } = JSON.parse(readFileSync(join(application, "package.json"), "utf8"));
    const layers = layersOf({ ...options, application });
    if (options.root !== undefined) return writeRoot(layers, options.root);
    const { architecture } = readElf(options.node);
    const image = { ...options, architecture, layers, version };
    const { digest, bytes } = await writeImage(options.output, image);
    const result = { platform: `linux/${architecture}`, digest, compressed_bytes: bytes };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Undefined where only help was asked for. */
function readOptions() {
  const text = { type: "string" };
  const { values } = parseArgs({
    options: {
      output: text,
      root: text,
      package: text,
      node: text,
      libraries: text,
      level: text,
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return undefined;
  }
  if ((values.output === undefined) === (values.root === undefined)) {
    throw new UsageError("name either --output or --root; --help lists the options.");
  }
  if (values.root !== undefined && existsSync(values.root)) {
    throw new UsageError(`${values.root} exists; --root makes a new folder.`);
  }
  const { node = process.execPath, libraries = "/", level = "9" } = values;
  if (!/^[1-9]$/.test(level)) throw new UsageError(`--level must be 1 to 9, but is "${level}".`);
  const { SOURCE_DATE_EPOCH: created = "0" } = process.env;
  if (!/^\d{1,10}$/.test(created)) {
    throw new UsageError(`SOURCE_DATE_EPOCH must be whole seconds, but is "${created}".`);
  }
  for (const path of [node, libraries, values.package]) {
    if (path !== undefined && statSync(path, { throwIfNoEntry: false }) === undefined) {
      throw new UsageError(`${path} does not exist.`);
    }
  }
  return { ...values, node, libraries, level: Number(level), createdSeconds: Number(created) };
}

function pack(folder) {
  const out = npm(checkout, "pack", "--json", "--pack-destination", folder);
  return join(folder, JSON.parse(out)[0].filename);
}

/** The package with its dependencies as the lock file has them: versions and checksums, no scripts of theirs. */
function install(packed, work) {
  const application = join(work, "package");
  execFileSync("tar", ["-xzf", resolve(packed), "-C", work]);
  const locked = join(work, "locked");
  for (const name of ["package.json", "package-lock.json"]) {
    cpSync(join(checkout, name), join(locked, name));
  }
  const omit = ["--omit=dev", "--omit=optional", "--workspaces=false", "--ignore-scripts"];
  npm(locked, "ci", ...omit, "--prefer-offline", "--no-audit", "--no-fund");
  renameSync(join(locked, "node_modules"), join(application, "node_modules"));
  return application;
}

function npm(cwd, ...words) {
  const { PATH, HOME } = process.env;
  return execFileSync("npm", words, {
    cwd,
    env: { PATH, HOME },
    encoding: "utf8",
    maxBuffer: 64 * 1_024 * 1_024,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
