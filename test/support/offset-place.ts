// What an offset of the feed shows: the time and the count with which it begins. The rest is encrypted.

/** Without the count where it is random, as in offsets that no event decides. */
export function placeOf(offset: string): string {
  const [time, count] = [offset.slice(0, 11), offset.slice(11, 19)];
  return count < "8" ? time + count : time;
}
