// Offsets of the feed, and ids of its events. Both are made from encrypted arrival numbers: a gap between plain numbers
// would disclose changes that the reader may not know of, of confidential types or of other organizations.
//
// An offset consists of a position, followed by the number as a block that only this store can decrypt. The position
// makes offsets sort as text. It is made only from what the reader has seen: the latest time of arrival so far, and how
// many events have followed since that time.

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** The position of a reader. */
export interface Position {
  /** An arrival number: the reader has seen all that it may read up to it. */
  readonly changeNo: number;
  /** Unix milliseconds: the latest arrival time of an earlier event, or the time at which the reader was at the end. */
  readonly at: number;
  /** How many events have followed since `at` last changed. */
  readonly following: number;
}

/** What an event is of. */
export interface Arrival {
  readonly changeNo: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

export const beginning: Position = { changeNo: 0, at: 0, following: 0 };

const blockBytes = 16;
const algorithm = "aes-128-ecb";
const atDigits = 11;
const followingDigits = 8;
const form = /^[0-9a-f]{51}$/;

export class FeedCipher {
  readonly #offsetKey: Buffer;
  readonly #idKey: Buffer;
  /** What was encoded last: readers that follow are at the same place. */
  #last: { readonly key: string; readonly offset: string } | undefined;

  /** `saltKey`: the secret of the store, which is the same in every process and moves with the store. */
  constructor(saltKey: string) {
    this.#offsetKey = derive(saltKey, "offsets of changes");
    this.#idKey = derive(saltKey, "ids of changes");
  }

  /** The text has a fixed length, and offsets of one reader sort like their positions. */
  encode(organizationId: string, position: Position): string {
    const { changeNo, at, following } = position;
    const key = keyOf(organizationId, position);
    if (this.#last?.key === key) return this.#last.offset;
    const block = Buffer.alloc(blockBytes);
    block.writeBigUInt64BE(BigInt(changeNo));
    this.#check(key).copy(block, 8);
    const hidden = encrypt(this.#offsetKey, block).toString("hex");
    const place = at.toString(16).padStart(atDigits, "0");
    const offset = `${place}${following.toString(16).padStart(followingDigits, "0")}${hidden}`;
    this.#last = { key, offset };
    return offset;
  }

  /** Undefined unless the text is an offset of this organization. */
  decode(organizationId: string, text: string): Position | undefined {
    if (!form.test(text)) return undefined;
    const end = atDigits + followingDigits;
    const block = decrypt(this.#offsetKey, Buffer.from(text.slice(end), "hex"));
    const position = {
      changeNo: Number(block.readBigUInt64BE()),
      at: Number.parseInt(text.slice(0, atDigits), 16),
      following: Number.parseInt(text.slice(atDigits, end), 16),
    };
    const check = this.#check(keyOf(organizationId, position));
    return check.equals(block.subarray(8)) ? position : undefined;
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

  #check(key: string): Buffer {
    return createHmac("sha256", this.#offsetKey).update(key).digest().subarray(0, 8);
  }
}

function keyOf(organizationId: string, { changeNo, at, following }: Position): string {
  return JSON.stringify([organizationId, changeNo, at, following]);
}

/** Events that a reader passes together. */
export interface Passed {
  readonly count: number;
  /** Where a reader is then that began before their times of arrival. */
  readonly position: Position;
}

export function passedOf(events: readonly Arrival[]): Passed {
  let position = beginning;
  for (const { changeNo, receivedAt } of events) {
    const { at, following } = position;
    position =
      receivedAt > at
        ? { changeNo, at: receivedAt, following: 0 }
        : { changeNo, at, following: following + 1 };
  }
  return { count: events.length, position };
}

/** The position after these events. */
export function pass(from: Position, { count, position }: Passed): Position {
  if (count === 0) return from;
  if (position.at > from.at) return position;
  return { changeNo: position.changeNo, at: from.at, following: from.following + count };
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
