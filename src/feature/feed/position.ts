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

/** The position after these events, in the order of their arrival. */
export function pass(from: Position, events: readonly Arrival[]): Position {
  let { at, following } = from;
  for (const { receivedAt } of events) {
    [at, following] = receivedAt > at ? [receivedAt, 0] : [at, following + 1];
  }
  return { changeNo: events.at(-1)?.changeNo ?? from.changeNo, at, following };
}
