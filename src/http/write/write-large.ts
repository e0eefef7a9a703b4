// Writes a list from 16 KiB on, or of many items. The bulk thread reads it; or the main thread, while nobody else would
// have to wait.

import { currentTimeOf } from "../../actions/app.ts";
import { keyHashOf, keySpaceOf } from "../../actions/intake/idempotency.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import { declaredBytes, readLargeBody } from "../body/large-body.ts";
import type { BulkClient } from "../bulk/bulk-client.ts";
import type { ListOrder, ListReport } from "../bulk/messages.ts";
import { clientGone } from "../connection/client-gone.ts";
import { pieceBytes } from "../connection/large-replies.ts";
import type { HttpContext } from "../http-context.ts";
import { freeBuffer } from "../../basics/own-memory.ts";
import { Turns } from "../../basics/turns.ts";
import type { Load } from "../load/load.ts";
import type { HandlerInput, Operation } from "../operation.ts";
import { charge } from "../rate-limit/enforce-limit.ts";
import { keyedRequest } from "../request/idempotency-key.ts";

export interface Write {
  readonly operation: Operation;
  readonly type: RecordType;
  readonly mode: WriteMode;
  readonly lenient: boolean;
  readonly asSingle: boolean;
}

/** Such a body is parsed in one turn, in about a millisecond. */
const moderateBytesMax = 64 * 1_024;
/** Bound for all large bodies in memory; above it, the bulk thread reads all of them. */
const heldBytesMax = 4 * 1_024 * 1_024;

/** True only while no other organization has a request in progress, which would have to wait. */
export function mayReadOnMain(
  { bodies, organizations }: Pick<Load, "bodies" | "organizations">,
  organizationId: string,
  bytes: number | undefined,
): boolean {
  return (
    bytes !== undefined &&
    bytes <= moderateBytesMax &&
    bodies.heldBytes + bytes <= heldBytesMax &&
    organizations.isOnly(organizationId)
  );
}

export function writeLarge(
  context: HttpContext,
  input: HandlerInput,
  write: Write,
): Promise<ListReport> {
  const { organizationId } = input.caller;
  const { raw } = input.request;
  const { load } = context;
  const declared = declaredBytes(raw);
  const reader = mayReadOnMain(load, organizationId, declared) ? context.lists : context.bulk;
  return writeInTurns(context, input, {
    write,
    reader,
    read: (signal) => {
      load.shedding.admitBody(declared);
      return readLargeBody(raw, {
        organizationId,
        budget: load.bodies,
        signal,
        onRefused: (bytes) => charge(context, input, { items: 0, bytes, processorMs: 0 }),
      });
    },
  });
}

/** So many items in so few bytes are hardly valid; their errors are never described on the main thread. */
export function writeMany(
  context: HttpContext,
  input: HandlerInput,
  { write, bytes: sent }: { readonly write: Write; readonly bytes: Buffer },
): Promise<ListReport> {
  const bytes = new Uint8Array(sent);
  const { bodies } = context.load;
  return writeInTurns(context, input, {
    write,
    reader: context.bulk,
    read: async (signal) => ({
      bytes,
      reservation: await bodies.reserve(input.caller.organizationId, bytes.length, signal),
    }),
  });
}

/**
 * The bulk thread reads the lists of an organization in turns, so that many end at nearly the same time. To write a
 * report of megabytes takes milliseconds, in which nobody else is served.
 */
const largeReports = new Turns();

interface Reading {
  readonly write: Write;
  readonly reader: Pick<BulkClient, "writeList">;
  /** The bytes and their reservation are released. */
  readonly read: (signal: AbortSignal) => ReturnType<typeof readLargeBody>;
}

async function writeInTurns(
  context: HttpContext,
  input: HandlerInput,
  { write, reader, read }: Reading,
): Promise<ListReport> {
  const { operation, type, mode, lenient, asSingle } = write;
  const { request, reply, caller } = input;
  // An invalid key is refused before the body is read.
  const key = keyedRequest(request, operation, keySpaceOf(caller, type));
  const keyHash = key && keyHashOf(key.keySpace, key.idempotencyKey);
  const signal = clientGone(reply.raw);
  const { bytes, reservation } = await read(signal);
  let report: ListReport;
  try {
    const order: ListOrder = {
      resourceType: type.resourceType,
      form: operation.body,
      mode,
      organizationId: caller.organizationId,
      receivedAt: currentTimeOf(context.app),
      timestampMin: context.app.timestampMin,
      lenient,
      asSingle,
      key,
    };
    const outcome = await context.app.inFlight.run(keyHash, () =>
      reader.writeList(order, bytes, signal),
    );
    charge(context, input, outcome.work);
    if ("error" in outcome) throw outcome.error;
    ({ report } = outcome);
  } finally {
    freeBuffer(bytes);
    reservation.release();
  }
  const { results = "" } = report;
  if (results.length > pieceBytes) await largeReports.next(caller.organizationId);
  return report;
}
