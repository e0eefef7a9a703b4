// Where a reader is in the feed. A position is made only from what the reader has seen, or from the time of the request
// and chance; an offset is its text.

import { randomInt } from "node:crypto";
import type { Arrival, OffsetCipher, Position } from "../../actions/change/offset.ts";

export interface Cursor {
  readonly position: Position;
  /** No event of the reader is between the position and this arrival number. */
  readonly scanned: number;
}

const beginning: Position = { changeNo: 0, at: 0, following: 0 };

/** `text`: -1, now (undefined), or an offset. Throws what `refuse` returns for any other, and AppError offset_gone. */
export function readStart(
  text: string,
  { organizationId, cipher, refuse }: StartOptions,
): Cursor | undefined {
  if (text === "now") return undefined;
  const position = text === "-1" ? beginning : cipher.decode(organizationId, text);
  if (position === undefined) throw refuse();
  return { position, scanned: position.changeNo };
}

interface StartOptions {
  readonly organizationId: string;
  readonly cipher: OffsetCipher;
  readonly refuse: () => Error;
}

/** Leaves enough numbers for the events that follow. */
const momentMin = 2 ** 31;
const momentMax = 2 ** 31 + 2 ** 30;

/**
 * The position of a reader that was at the end at this time, where no event decides the number. It is never the same
 * twice: two equal offsets would disclose that nothing has arrived in between, and two others that something has.
 */
export function momentOf(changeNo: number, at: number): Position {
  return { changeNo, at, following: randomInt(momentMin, momentMax) };
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
