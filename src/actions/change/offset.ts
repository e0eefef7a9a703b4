// Offsets of readers of changes, and ids of events. Both are made from encrypted arrival numbers: a gap between plain
// numbers would disclose changes that the reader may not know of, of confidential types or of other organizations.
//
// An offset consists of a position, which makes offsets sort as text, followed by the number as a block that only this
// store can decrypt. The position is made only from what the reader has seen: the latest time of arrival so far, and
// how many events have followed since that time; or from the time of the request, and chance.
//
// The block also has the timeline on which the number was given: after a restore, the numbers beyond the last one of
// the backup are given again, and an offset from before would skip the changes that have them now.

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { AppError } from "../../domain/error.ts";
import { firstTimeline, type Timeline, timelineOf } from "../../domain/record/timeline.ts";
import type { Store } from "../../store/interface/store.ts";

export interface Position {
  /** An arrival number: the reader has seen all that it may read up to it. */
  readonly changeNo: number;
  /** Unix milliseconds: the latest arrival time of an earlier event, or the time at which the reader was at the end. */
  readonly at: number;
  /** How many events have followed since `at` last changed, counted from 0 or from a random number. */
  readonly following: number;
}

export interface TrailPosition {
  readonly entryNo: number;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface Arrival {
  readonly changeNo: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

const blockBytes = 16;
const algorithm = "aes-128-ecb";
const atDigits = 11;
const followingDigits = 8;
const form = /^[0-9a-f]{51}$/;
/** The length of an arrival number or of the id of a timeline, both below 2^48. */
const numberDigits = 12;
const checkDigits = 16;

interface Marked {
  readonly position: Position;
  readonly timelineId: number;
}

export class OffsetCipher {
  readonly #offsetKey: Buffer;
  readonly #idKey: Buffer;
  readonly #timelines: readonly Timeline[];
  /** What was encoded last: readers that follow are at the same place. */
  #last: { readonly key: string; readonly offset: string } | undefined;

  /**
   * `saltKey`: the secret of the store, which is the same in every process and moves with the store. `timelines`: those
   * of the store, which stay the same while it is served.
   */
  constructor(saltKey: string, timelines: readonly Timeline[]) {
    this.#timelines = timelines;
    this.#offsetKey = derive(saltKey, "offsets of changes");
    this.#idKey = derive(saltKey, "ids of changes");
  }

  /** The text has a fixed length, and offsets of one reader sort like their positions. */
  encode(organizationId: string, position: Position): string {
    const timelineId = timelineOf(position.changeNo, this.#timelines);
    return this.#encode(organizationId, { position, timelineId });
  }

  /** Undefined unless it is one of this organization. Throws AppError offset_gone if a restore has lost its number. */
  decode(organizationId: string, text: string): Position | undefined {
    const { position, timelineId } = this.#decode(organizationId, text) ?? {};
    if (position === undefined) return undefined;
    if (timelineOf(position.changeNo, this.#timelines) === timelineId) return position;
    throw new AppError("offset_gone");
  }

  /** An offset for a position in the audit trail, whose numbers have no timelines. */
  encodeEntry(ownerId: string, { entryNo, at }: TrailPosition): string {
    const position = { changeNo: entryNo, at, following: 0 };
    return this.#encode(ownerId, { position, timelineId: firstTimeline });
  }

  /** Undefined unless the text is such an offset of this owner. */
  decodeEntry(ownerId: string, text: string): TrailPosition | undefined {
    const { position } = this.#decode(ownerId, text) ?? {};
    return position && { entryNo: position.changeNo, at: position.at };
  }

  #encode(ownerId: string, { position, timelineId }: Marked): string {
    const key = keyOf(ownerId, position);
    if (this.#last?.key === key) return this.#last.offset;
    const block = Buffer.from(blockOf({ position, timelineId }, this.#check(key)), "hex");
    const hidden = encrypt(this.#offsetKey, block).toString("hex");
    const { at, following } = position;
    const offset = `${toHex(at, atDigits)}${toHex(following, followingDigits)}${hidden}`;
    this.#last = { key, offset };
    return offset;
  }

  #decode(ownerId: string, text: string): Marked | undefined {
    if (!form.test(text)) return undefined;
    const end = atDigits + followingDigits;
    const block = decrypt(this.#offsetKey, Buffer.from(text.slice(end), "hex")).toString("hex");
    const position = {
      changeNo: Number.parseInt(block.slice(4, 4 + numberDigits), 16),
      at: Number.parseInt(text.slice(0, atDigits), 16),
      following: Number.parseInt(text.slice(atDigits, end), 16),
    };
    const hasTimeline = !block.startsWith("0000");
    const timeline = hasTimeline ? block.slice(0, 4) + block.slice(16, 24) : "0";
    const marked = { position, timelineId: Number.parseInt(timeline, 16) };
    return blockOf(marked, this.#check(keyOf(ownerId, position))) === block ? marked : undefined;
  }

  /** All at once, because a separate cipher for each event would cost more than the rest of the event. */
  eventIds(organizationId: string, events: readonly Arrival[]): readonly string[] {
    const owner = createHmac("sha256", this.#idKey).update(organizationId).digest();
    const [high, low] = [owner.readUInt32BE(0), owner.readUInt32BE(4)];
    const blocks = Buffer.alloc(events.length * blockBytes);
    for (const [index, { changeNo, receivedAt }] of events.entries()) {
      const at = index * blockBytes;
      // The bytes of a number of 64 bits, which would have to be a BigInt.
      blocks.writeUInt32BE(Math.floor(changeNo / 2 ** 32), at);
      blocks.writeUInt32BE(changeNo >>> 0, at + 4);
      // After a restore of a backup, another event may get the same number.
      blocks.writeUInt32BE((high ^ Math.floor(receivedAt / 2 ** 32)) >>> 0, at + 8);
      blocks.writeUInt32BE((low ^ receivedAt) >>> 0, at + 12);
    }
    const ids = encrypt(this.#idKey, blocks).toString("hex");
    return events.map((_, index) => ids.slice(index * 32, (index + 1) * 32));
  }

  #check(key: string): string {
    const digest = createHmac("sha256", this.#offsetKey).update(key).digest("hex");
    return digest.slice(0, checkDigits);
  }
}

/** Reads the secret of the store when an offset is first needed, and no more. */
export function offsetsOf(
  store: Pick<Store, "receiptSaltKey" | "arrivals">,
): () => Promise<OffsetCipher> {
  let opened: OffsetCipher | undefined;
  return async () =>
    (opened ??= new OffsetCipher(await store.receiptSaltKey(), await store.arrivals.timelines()));
}

/** The number in 8 bytes, the check in 8. A timeline takes the first two, which are zero, and half of the check. */
function blockOf({ position, timelineId }: Marked, check: string): string {
  const number = toHex(position.changeNo, numberDigits);
  if (timelineId === firstTimeline) return `0000${number}${check}`;
  const timeline = toHex(timelineId, numberDigits);
  return timeline.slice(0, 4) + number + timeline.slice(4) + check.slice(0, checkDigits / 2);
}

function toHex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

function keyOf(organizationId: string, { changeNo, at, following }: Position): string {
  return JSON.stringify([organizationId, changeNo, at, following]);
}

function derive(saltKey: string, purpose: string): Buffer {
  return createHmac("sha256", saltKey).update(purpose).digest().subarray(0, 16);
}

/** Each block is different, so the mode needs no initialization vector. */
function encrypt(key: Buffer, blocks: Buffer): Buffer {
  return createCipheriv(algorithm, key, null).setAutoPadding(false).update(blocks);
}

function decrypt(key: Buffer, blocks: Buffer): Buffer {
  return createDecipheriv(algorithm, key, null).setAutoPadding(false).update(blocks);
}
