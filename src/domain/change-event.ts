// A change as an event of the feed: a CloudEvent 1.0 in structured JSON. The text is written by hand, because a
// backfill has millions of them and nearly all of a text is the same in each.

import type { ArrivedNotice } from "./record/record-write.ts";

export interface ChangeEvent {
  /** Opaque, and unique in the organization. */
  readonly id: string;
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly isFirst: boolean;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** The payload in canonical JSON, for an event with content. */
  readonly payload: string | undefined;
  readonly notice?: ArrivedNotice;
}

export const noticeTypes: Readonly<Record<ArrivedNotice["kind"], string>> = {
  erased: "sluice.record.erased",
  completed: "sluice.deletion.completed",
};

/** The names of the kinds of events of a record type. */
export function eventTypes(resourceType: string): { created: string; updated: string } {
  return { created: `sluice.${resourceType}.created`, updated: `sluice.${resourceType}.updated` };
}

/** The `source` of the events of an organization, a URI reference. */
export function eventSource(organizationId: string): string {
  return `/organization/${encodeURIComponent(organizationId)}`;
}

export function writeChangeEvent(event: ChangeEvent): string {
  const { id, organizationId, resourceType, resourceId, isFirst, receivedAt } = event;
  const { created, updated } = eventTypes(resourceType);
  const { type, payload } =
    event.notice === undefined
      ? { type: isFirst ? created : updated, payload: event.payload }
      : { type: noticeTypes[event.notice.kind], payload: dataOf(event.notice, resourceType) };
  const head =
    `{"specversion":"1.0","id":"${id}","source":"${eventSource(organizationId)}",` +
    `"type":"${type}","subject":${JSON.stringify(resourceId)},` +
    `"time":"${new Date(receivedAt).toISOString()}"`;
  if (payload === undefined) return `${head}}`;
  return `${head},"datacontenttype":"application/json","data":${payload}}`;
}

/** What a notice says besides the id of its record. */
function dataOf({ kind, deletionRequestId }: ArrivedNotice, resourceType: string): string {
  const erased = kind === "erased" ? { resource_type: resourceType } : {};
  return JSON.stringify({ ...erased, deletion_request_id: deletionRequestId });
}
