// The marks of the items of a list that are decided as single requests: item 3 of a request with the key K has that of
// a single request with K.3. So the list, or one record of it, can be sent again.

import { type KeyedRequest, markRequest } from "../../actions/intake/idempotency.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import { sliceList, trimJson } from "./list-slices.ts";
import type { ListOrder } from "./messages.ts";

type Marked = Pick<ListOrder, "resourceType" | "mode" | "asSingle" | "key">;

/** A mark for each item of a valid list, of which the first has the index `from`; undefined without such marks. */
export function markItems(
  list: Uint8Array,
  { resourceType, mode, asSingle, key }: Marked,
  from = 0,
): Iterator<IdempotencyMark, undefined> | undefined {
  if (key === undefined || !asSingle) return undefined;
  const operation = `${mode === "update" ? "PUT" : "POST"} /v2/${resourceType}`;
  return marksOf(list, { ...key, operation }, from);
}

function* marksOf(
  list: Uint8Array,
  { keySpace, idempotencyKey, operation }: KeyedRequest,
  from: number,
): Generator<IdempotencyMark, undefined> {
  let index = from;
  const bounds = { itemsMax: 1, bytes: 1, itemBytesMax: list.length, stepBytes: list.length };
  for (const { start, end } of sliceList(list, bounds)) {
    const key = `${idempotencyKey}.${index}`;
    // Some libraries write a space after the comma between two items, which a request with a single item does not have.
    const body = trimJson(list.subarray(start, end));
    yield markRequest(keySpace, { idempotencyKey: key, operation, writeOptions: "", body });
    index += 1;
  }
}
