// Writes a list from 16 KiB on, or of many items. The bulk thread reads it; or the main thread, while nobody else would
// have to wait.

import { currentTimeOf } from "../../actions/app.ts";
import type { FastifyRequest } from "fastify";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { contextOf, keyHashOf, keySpaceOf } from "../../actions/intake/idempotency.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import { declaredBytes, readLargeBody } from "../body/large-body.ts";
import type { BulkClient } from "../bulk/bulk-client.ts";
import type { ItemsOrder, ListOrder, ListReport } from "../bulk/messages.ts";
import { clientGone } from "../connection/client-gone.ts";
import type { HttpContext } from "../http-context.ts";
import { freeBuffer } from "../../basics/own-memory.ts";
import type { Load } from "../load/load.ts";
import type { Reservation } from "../load/memory-budget.ts";
import type { HandlerInput, Operation } from "../operation.ts";
import { charge } from "../rate-limit/enforce-limit.ts";
import { idempotencyRequest } from "../request/idempotency-key.ts";

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
  idempotencyRequest(input.request, write.operation);
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
    const key = idempotencyRequest(input.request, operation);
    const keyHash = key && keyHashOf(keySpaceOf(input.caller, type), key.idempotencyKey);
    const items = itemsOrder(input.request, { caller: input.caller, write });
    const order: ListOrder = {
      operation: operation.name,
      mode,
      organizationId,
      receivedAt: currentTimeOf(context.app),
      timestampMin: context.app.timestampMin,
      lenient,
      asSingle,
      idempotency: key && keyHash && { keyHash, context: contextOf(key), items },
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

export function itemsOrder(
  request: FastifyRequest,
  { caller, write }: { readonly caller: Identity; readonly write: Write },
): ItemsOrder | undefined {
  const { operation, type, asSingle } = write;
  const key = asSingle ? idempotencyRequest(request, operation) : undefined;
  return (
    key && {
      keySpace: keySpaceOf(caller, type),
      idempotencyKey: key.idempotencyKey,
      operation: `${operation.method} /v2/${type.resourceType}`,
    }
  );
}
