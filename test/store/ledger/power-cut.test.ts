// The ledger on a disk that fails: after a power cut it has every entry that was reported as noted, and no hole, though
// syncs have failed before, in this process or in another one.

import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { LedgerEntry } from "../../../src/domain/deletion/ledger-entry.ts";
import type { DeletionLedger } from "../../../src/store/interface/ledger.ts";
import { openStoreLedger } from "../../../src/store/open-store.ts";
import { makeRandom } from "../../support/random.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

/** The methods of file handles that change a file. */
type Operations = Record<"write" | "truncate" | "sync", (...values: unknown[]) => Promise<unknown>>;

/**
 * What is on stable storage, as Linux has it: a file has its name only after its folder was synced. A sync that fails
 * drops what was written since the last one, and the next sync succeeds without it. The file itself shows everything
 * that was written, as the page cache does.
 */
class FailingDisk {
  failing = false;
  #hasName = false;
  #stable: Buffer = Buffer.alloc(0);
  #written: ((stable: Buffer) => Buffer)[] = [];

  static async install(test: TestContext): Promise<FailingDisk> {
    const disk = new FailingDisk();
    await using any = await open(import.meta.filename, "r");
    const handle = Object.getPrototypeOf(any) as Operations;
    const { write, truncate, sync } = handle;
    test.after(() => void Object.assign(handle, { write, truncate, sync }));
    Object.assign(handle, {
      async write(this: FileHandle, bytes: Buffer, ...place: [number, number, number]) {
        const [from, length, at] = place;
        const copy = Buffer.from(bytes.subarray(from, from + length));
        disk.#written.push((stable) => put(stable, copy, at));
        return write.call(this, bytes, ...place);
      },
      async truncate(this: FileHandle, length: number) {
        disk.#written.push((stable) => stable.subarray(0, length));
        return truncate.call(this, length);
      },
      async sync(this: FileHandle) {
        if (!(await this.stat()).isFile()) {
          disk.#hasName = true;
          return;
        }
        const written = disk.#written;
        disk.#written = [];
        if (disk.failing) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
        for (const apply of written) disk.#stable = apply(disk.#stable);
      },
    });
    return disk;
  }

  /** The file as the next start finds it: what was not synced is zeros. */
  cutPower({ path }: DeletionLedger): void {
    if (!this.#hasName) return rmSync(path);
    writeFileSync(path, put(Buffer.alloc(statSync(path).size), this.#stable, 0));
  }
}

function put(file: Buffer, bytes: Buffer, at: number): Buffer {
  const grown = Buffer.alloc(Math.max(file.length, at + bytes.length));
  file.copy(grown);
  bytes.copy(grown, at);
  return grown;
}

function entryOf(number: number): LedgerEntry {
  const by = "zoe".repeat(number % 900);
  return { kind: "hold_released", holdId: `hold_${number}`, at: 0, by, because: undefined };
}

function openIn(folder: string): DeletionLedger {
  return openStoreLedger(folder, "store_1", { now: () => 500 });
}

async function idsIn(ledger: DeletionLedger): Promise<ReadonlySet<string>> {
  const parts = await Array.fromAsync(ledger.readParts());
  const entries = parts.flatMap((part) => part.entries);
  return new Set(entries.flatMap((one) => (one.kind === "hold_released" ? [one.holdId] : [])));
}

function makeFolder(): string {
  const folder = makeTempFolder();
  return join(folder, "data");
}

describe("the ledger on a disk that fails", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`has every noted entry after a power cut that follows failed syncs (seed ${seed})`, async (test) => {
      const disk = await FailingDisk.install(test);
      const folder = makeFolder();
      const random = makeRandom(seed);
      let ledger = openIn(folder);
      await ledger.note([entryOf(0)]);
      const noted: string[] = [];
      for (let number = 1; number <= 60; number += 1) {
        if (random.chance(0.2)) ledger = openIn(folder);
        disk.failing = random.chance(0.3);
        const isNoted = await ledger.note([entryOf(number)]).then(
          () => true,
          () => false,
        );
        assert.equal(isNoted, !disk.failing);
        if (isNoted) noted.push(`hold_${number}`);
        if (random.chance(0.2)) disk.cutPower(ledger);
      }
      disk.cutPower(ledger);
      const found = await idsIn(openIn(folder));
      assert.deepEqual(
        noted.filter((id) => !found.has(id)),
        [],
      );
    });
  }

  it("keeps a frame that another process wrote, from the time that its place is stored", async (test) => {
    const disk = await FailingDisk.install(test);
    const folder = makeFolder();
    const other = openIn(folder);
    await other.note([entryOf(0)]);
    disk.failing = true;
    await assert.rejects(other.note([entryOf(1)]), /EIO/);
    disk.failing = false;
    const ledger = openIn(folder);
    const seen = await ledger.state();
    assert.equal((await ledger.sync()).lastFrame?.end, seen.lastFrame?.end);
    const before = readFileSync(ledger.path);
    disk.cutPower(ledger);
    assert.deepEqual(readFileSync(ledger.path), before);
    assert.deepEqual((await openIn(folder).state()).lastFrame, seen.lastFrame);
  });
});
