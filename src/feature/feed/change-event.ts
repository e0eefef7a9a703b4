// A change as an event of the feed: a CloudEvent 1.0 in structured JSON. The text is written by hand, because a
// backfill has millions of them and nearly all of a text is the same in each.

import type { ArrivedChange, ArrivedNotice } from "../../domain/record/record-write.ts";

type EventChange = Omit<ArrivedChange, "changeNo">;

export const noticeTypes: Readonly<Record<ArrivedNotice["kind"], string>> = {
  erased: "sluice.record.erased",
  completed: "sluice.deletion.completed",
};

export function eventType(resourceType: string, isFirst: boolean): string {
  return isFirst ? `sluice.${resourceType}.created` : `sluice.${resourceType}.updated`;
}

/** Returns a function that writes the event of a change of this organization. `id`: opaque, and unique there. */
export function eventWriter(organizationId: string): (change: EventChange, id: string) => string {
  // A URI reference.
  const source = `/organization/${encodeURIComponent(organizationId)}`;
  let [writtenAt, time] = [Number.NaN, ""];
  return (change, id) => {
    const { notice, resourceType, resourceId, isFirst, receivedAt } = change;
    // Changes that follow each other were often received in the same millisecond.
    if (receivedAt !== writtenAt) {
      [writtenAt, time] = [receivedAt, new Date(receivedAt).toISOString()];
    }
    const type = notice === undefined ? eventType(resourceType, isFirst) : noticeTypes[notice.kind];
    const head =
      `{"specversion":"1.0","id":"${id}","source":"${source}","type":"${type}",` +
      `"subject":${JSON.stringify(resourceId)},"time":"${time}"`;
    const data = dataOf(change);
    if (data === undefined) return `${head}}`;
    return `${head},"datacontenttype":"application/json","data":${data}}`;
  };
}

/** The payload, or what a notice says besides the id of its record. */
function dataOf({ notice, payload, resourceType }: EventChange): string | undefined {
  if (notice === undefined) return payload;
  const erased = notice.kind === "erased" ? { resource_type: resourceType } : {};
  return JSON.stringify({ ...erased, deletion_request_id: notice.deletionRequestId });
}
