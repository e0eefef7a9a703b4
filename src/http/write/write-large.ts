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
import type { HttpContext } from "../http-context.ts";
import { freeBuffer } from "../../basics/own-memory.ts";
import type { Load } from "../load/load.ts";
import type { Reservation } from "../load/memory-budget.ts";
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

export async function writeLarge(
  context: HttpContext,
  input: HandlerInput,
  write: Write,
): Promise<ListReport> {
  const { organizationId } = input.caller;
  const { raw } = input.request;
  // An invalid key is refused before the body is read.
  keyOf(input, write);
  const declared = declaredBytes(raw);
  context.load.shedding.admitBody(declared);
  const signal = clientGone(input.reply.raw);
  const reader = mayReadOnMain(context.load, organizationId, declared)
    ? context.lists
    : context.bulk;
  const { bytes, reservation } = await readLargeBody(raw, {
    organizationId,
    budget: context.load.bodies,
    signal,
    onRefused: (count) => charge(context, input, { items: 0, bytes: count, processorMs: 0 }),
  });
  return writeInTurns(context, input, { write, bytes, reservation, reader, signal });
}

/** So many items in so few bytes are hardly valid; their errors are never described on the main thread. */
export async function writeMany(
  context: HttpContext,
  input: HandlerInput,
  { write, bytes }: { readonly write: Write; readonly bytes: Buffer },
): Promise<ListReport> {
  const { organizationId } = input.caller;
  const signal = clientGone(input.reply.raw);
  const own = new Uint8Array(bytes);
  const reservation = await context.load.bodies.reserve(organizationId, own.length, signal);
  const reader = context.bulk;
  return writeInTurns(context, input, { write, bytes: own, reservation, reader, signal });
}

function keyOf({ request, caller }: HandlerInput, { operation, type }: Write) {
  return keyedRequest(request, operation, keySpaceOf(caller, type));
}

interface ReadBody {
  readonly write: Write;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly reservation: Reservation;
  readonly reader: Pick<BulkClient, "writeList">;
  readonly signal: AbortSignal;
}

/** Releases the bytes and their reservation. */
async function writeInTurns(
  context: HttpContext,
  input: HandlerInput,
  { write, bytes, reservation, reader, signal }: ReadBody,
): Promise<ListReport> {
  const { operation, type, mode, lenient, asSingle } = write;
  const { organizationId } = input.caller;
  try {
    const key = keyOf(input, write);
    const keyHash = key && keyHashOf(key.keySpace, key.idempotencyKey);
    const order: ListOrder = {
      resourceType: type.resourceType,
      form: operation.body,
      mode,
      organizationId,
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
    return outcome.report;
  } finally {
    freeBuffer(bytes);
    reservation.release();
  }
}
