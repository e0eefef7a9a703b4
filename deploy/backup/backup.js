#!/usr/bin/env node
// One round of a backup schedule, for cron, a systemd timer or a CronJob: a copy of the embedded store, the receipts of
// completed deletions beside it, and the removal of copies that are too old. Removes only files that it named itself,
// only after a new copy is complete, and never in a folder that lacks one. `--help` lists the options.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const help = `Usage: node backup.js --to FOLDER [--keep-days N] [--keep-copies N] [--sluice FILE]

  --to FOLDER      existing folder for sluice-TIME.db and receipts-TIME.ndjson
  --keep-days N    remove copies that are older than N days (default: 30); 0 keeps all
  --keep-copies N  keep the newest N copies, however old they are (default: 7; at least 1)
  --sluice FILE    bin/sluice.js of the installed service (default: the one installed with this program)
  --help           this text

Settings of the service, such as DATABASE_URL and DATA_DIR, come from the environment. With PostgreSQL only receipts are
written; back up the database with PostgreSQL's own tools.
`;

const dayMs = 86_400_000;
/** Of each kind in a round, which writes one: a clock that is years ahead for some rounds leaves most of the others. */
const removedAtOnce = 2;

class UsageError extends Error {}

try {
  main();
} catch (error) {
  const isUsage = error instanceof UsageError || error.code?.startsWith("ERR_PARSE_ARGS");
  process.stderr.write(`backup: ${error.message}\n`);
  process.exitCode = isUsage ? 2 : 1;
}

function main() {
  const options = readOptions();
  if (options === undefined) return;
  const { folder, keepDays, keepCopies, sluice } = options;
  const now = new Date();
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const written = [];
  if (!/^postgres(?:ql)?:/.test(process.env.DATABASE_URL ?? "")) {
    const copy = join(folder, `sluice-${time}.db`);
    run(sluice, ["backup", copy], "ignore");
    written.push(copy);
  }
  const receipts = join(folder, `receipts-${time}.ndjson`);
  writeReceipts(sluice, receipts);
  written.push(receipts);
  const beforeMs = now.getTime() - keepDays * dayMs;
  const removed = keepDays === 0 ? [] : removeOld(folder, { beforeMs, keepCopies, written });
  process.stdout.write(`${JSON.stringify({ written, removed })}\n`);
}

/** Undefined where only help was asked for. */
function readOptions() {
  const text = { type: "string" };
  const { values } = parseArgs({
    options: {
      to: text,
      "keep-days": text,
      "keep-copies": text,
      sluice: text,
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return undefined;
  }
  const { to: folder, sluice = ownSluice() } = values;
  const { "keep-days": days = "30", "keep-copies": copies = "7" } = values;
  if (folder === undefined)
    throw new UsageError("name a folder with --to; --help lists the options.");
  if (!existsSync(folder)) throw new UsageError(`${folder} does not exist.`);
  if (!/^\d{1,5}$/.test(days)) {
    throw new UsageError(`--keep-days must be a whole number of days, but is "${days}".`);
  }
  if (!/^[1-9]\d{0,4}$/.test(copies)) {
    throw new UsageError(`--keep-copies must be a whole number from 1, but is "${copies}".`);
  }
  if (sluice === undefined || !existsSync(sluice)) {
    throw new UsageError(`${sluice ?? "bin/sluice.js"} does not exist; name it with --sluice.`);
  }
  return { folder: resolve(folder), keepDays: Number(days), keepCopies: Number(copies), sluice };
}

/** Beside this file in the container image, at the top of a checkout. */
function ownSluice() {
  const places = ["bin/sluice.js", "../../bin/sluice.js"];
  return places.map((path) => join(import.meta.dirname, path)).find((path) => existsSync(path));
}

function writeReceipts(sluice, path) {
  const part = `${path}.part`;
  const file = openSync(part, "wx", 0o600);
  try {
    run(sluice, ["receipt", "export", "--include-confidential"], file);
    fsyncSync(file);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** What it prints goes to `output`. */
function run(sluice, words, output) {
  const { error, status, signal } = spawnSync(process.execPath, [sluice, ...words], {
    stdio: ["ignore", output, "inherit"],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`sluice ${words[0]} failed with ${signal ?? status}.`);
}

/**
 * By the time in their names, so that copying the folder does not make them younger. The newest copies stay, because the
 * clock may be wrong, and so do those of this round, which were verified.
 */
function removeOld(folder, { beforeMs, keepCopies, written }) {
  return ["sluice-TIME.db", "receipts-TIME.ndjson"].flatMap((kind) => {
    const [before, after] = kind.split("TIME");
    const own = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
    const copies = readdirSync(folder).flatMap((name) => {
      const isKind = name.startsWith(before) && name.endsWith(after);
      const parts = isKind ? own.exec(name.slice(before.length, -after.length)) : null;
      if (parts === null) return [];
      const [, year, month, day, hour, minute, second] = parts;
      const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ path: join(folder, name), time }];
    });
    const old = copies
      .sort((one, other) => other.time - one.time)
      .slice(keepCopies)
      .filter(({ path, time }) => time < beforeMs && !written.includes(path))
      .slice(-removedAtOnce)
      .map(({ path }) => path);
    for (const path of old) rmSync(path);
    return old;
  });
}
