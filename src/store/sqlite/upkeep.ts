// What keeps the file of a store free of residue, and what closes it.

import type { Store } from "../interface/store.ts";
import type { Act } from "../interface/act.ts";
import type { SealReceipt } from "../interface/deletion.ts";
import type { Purge } from "../sql/method.ts";
import { readCredentialsVersion } from "../sql/access/organization.ts";
import { performBy, type PerformOperation } from "./commit/operation.ts";
import { LocalWriter, type Writer } from "./commit/writer.ts";
import { type Connection, isMarkedOpen } from "./connection.ts";
import type { SharedDescriptor } from "./file/store-file.ts";
import { checkErasure, checkIntegrity } from "./integrity.ts";
import type { UnscrubbedPages } from "./erase/unscrubbed-pages.ts";
import type { Checkpointer } from "./file/checkpointer.ts";
import type { FileTasks } from "./file/file-tasks.ts";
import { type ServingRight, tryServingRight } from "./file/file-lock.ts";
import { probeRoom } from "./file/write-probe.ts";
import type { SharedRead } from "./shared-read.ts";

export interface Parts {
  readonly reader: Connection;
  readonly writer: Writer;
  /** The snapshot of the reader, if that is a separate connection; the writer ends it before it answers. */
  readonly snapshot?: SharedRead;
  readonly descriptor: SharedDescriptor;
  readonly files: FileTasks;
  readonly unscrubbed: UnscrubbedPages;
  /** Present if the store is served. */
  readonly checkpointer?: Checkpointer;
  readonly right?: ServingRight | undefined;
  readonly sealReceipt?: SealReceipt | undefined;
}

interface Scrubbing {
  /** Whether an earlier process may have ended before it scrubbed. */
  readonly mayHaveResidue: () => boolean;
  readonly scrub: (act: Act) => Promise<unknown>;
}

/** Scrubs after the last part if any part has removed something, also if an earlier scrub has failed. */
export function scrubbing(purge: Purge, { mayHaveResidue, scrub }: Scrubbing): Purge {
  let hasResidue: boolean | undefined;
  return async (range, act) => {
    const part = await purge(range, act);
    hasResidue ??= mayHaveResidue();
    hasResidue ||= part.removed > 0;
    if (hasResidue && part.next === undefined) {
      await scrub(act);
      hasResidue = false;
    }
    return part;
  };
}

interface Working {
  readonly perform: PerformOperation;
  readonly scrubSome: () => Promise<boolean>;
}

export function upkeepMethods(parts: Parts, { perform, scrubSome }: Working) {
  const { reader, descriptor, files } = parts;
  let closed: Promise<void> | undefined;
  return {
    ping: async () => {
      reader.perform(readCredentialsVersion);
      await perform("ping");
    },
    renewConnections: () => undefined,
    probeWrite: async () => {
      await probeRoom(reader.path);
      await perform("probeCommit");
    },
    scrubSome,
    checkIntegrity: () => checkIntegrity(reader, files),
    checkErasure: async () => checkErasure(reader, descriptor.get()),
    close: () => (closed ??= close(parts)),
  } satisfies Partial<Store>;
}

/** Done by the process that serves the store, or by a command while no process does. */
async function clearMark(
  { reader, right }: Pick<Parts, "reader" | "right">,
  submit: Writer["submit"],
): Promise<void> {
  if (!isMarkedOpen(reader)) return;
  const mine = right === undefined ? tryServingRight(reader.path) : undefined;
  if (right === undefined && mine === undefined) return;
  await performBy({ submit })("markClosed").finally(() => mine?.release());
}

async function close({ reader, writer, snapshot, ...parts }: Parts): Promise<void> {
  snapshot?.end();
  await writer.close(async (submit) => {
    await parts.checkpointer?.pause();
    // If this fails, the WAL stays beside the file.
    await clearMark({ reader, right: parts.right }, submit).catch(() => undefined);
    // A local writer closes its connection, which is that of the reader.
    if (!(writer instanceof LocalWriter)) reader.close();
    // If this fails, the mark that was saved before is still valid, or there is none.
    await parts.unscrubbed.close(performBy({ submit })).catch(() => undefined);
    await parts.files.close();
  });
  parts.descriptor.release();
  parts.right?.release();
}
