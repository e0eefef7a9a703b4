// Timelines of arrival numbers. After a restore, the numbers beyond the last one of the backup are given again, to
// other changes, on a new timeline. A number on its timeline is never given again.

export interface Timeline {
  /** Random, from 2^32 and below 2^48: two restores of a backup would restore a counter and begin the same one. */
  readonly timelineId: number;
  /** Its numbers are greater than this one; they end where the next timeline begins. */
  readonly afterNo: number;
}

/** The timeline of a store that was never restored. */
export const firstTimeline = 0;

/** The id of the timeline on which this store has given the number. `timelines`: in order. */
export function timelineOf(arrivalNo: number, timelines: readonly Timeline[]): number {
  return timelines.findLast(({ afterNo }) => afterNo < arrivalNo)?.timelineId ?? firstTimeline;
}
