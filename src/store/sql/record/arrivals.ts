// The changes of an organization in the order of their arrival, part by part. Each part is a separate read, so that
// reading never keeps erased bytes from being freed. Also the timelines of arrival numbers (domain/record/timeline.ts),
// and whether the counter of these numbers is right.

import type { ArrivedChange, ArrivedNotice } from "../../../domain/record/record-write.ts";
import { recordTypes } from "../../../domain/record-types.ts";
import { storeParts, type StoreParts } from "../store-parts.ts";
import { byArrival } from "../statement/index-conditions.ts";
import { ofTypes, ofTypesOnServer } from "../statement/named.ts";
import {
  allTogether,
  listsTogether,
  type Statements,
  list,
  run,
  scalar,
} from "../statement/statements.ts";
import type { Timeline } from "../../../domain/record/timeline.ts";
import { reader } from "../../row/reader.ts";
import { findLatestArrival } from "./record.ts";
import { sluice } from "../../../basics/program-name.ts";

export interface ArrivalQuery {
  readonly organizationId: string;
  /** Changes beyond this number, and up to `through`. */
  readonly after: number;
  readonly through: number;
  readonly types: readonly string[];
  readonly content: boolean;
  readonly limit: number;
  /** The latest changes first. */
  readonly fromEnd?: boolean;
}

interface Form {
  readonly payload: string;
  readonly order: "ASC" | "DESC";
}

/**
 * On SQLite first changes, by the index of records, and then later ones; CROSS JOIN keeps the order of each index. On
 * PostgreSQL a first change has no digest, but neither has every later one in a store that was moved there.
 */
function pageOf({ payload, order }: Form): string {
  return `
    --sqlite SELECT * FROM (
    --sqlite   SELECT change.change_no AS change_no, received_at, resource_type, resource_id, 1 AS is_first${payload}
    --sqlite   FROM record INDEXED BY record_by_arrival CROSS JOIN change
    --sqlite     ON change.record_no = record.record_no AND change.change_no = record.record_no
    --sqlite   WHERE organization_id = $1 AND record.record_no > $2 AND record.record_no <= $3 AND ${ofTypes}
    --sqlite   ORDER BY record.record_no ${order} LIMIT $5)
    --sqlite UNION ALL SELECT * FROM (
    --sqlite   SELECT later.change_no AS change_no, change.received_at, resource_type, resource_id, 0${payload}
    --sqlite   FROM change AS later INDEXED BY change_later
    --sqlite     CROSS JOIN record INDEXED BY record_by_arrival
    --sqlite       ON organization_id = $1 AND record.record_no = later.record_no
    --sqlite     CROSS JOIN change
    --sqlite       ON change.record_no = later.record_no AND change.change_no = later.change_no
    --sqlite   WHERE later.change_no > later.record_no AND later.change_no > $2 AND later.change_no <= $3
    --sqlite     AND ${ofTypes}
    --sqlite   ORDER BY later.change_no ${order} LIMIT $5)
    --postgres SELECT change_no, received_at, resource_type, resource_id,
    --postgres   digest IS NULL AND NOT EXISTS (
    --postgres     SELECT 1 FROM change AS earlier
    --postgres     WHERE earlier.organization_id = change.organization_id
    --postgres       AND earlier.resource_type = change.resource_type
    --postgres       AND earlier.resource_id = change.resource_id
    --postgres       AND earlier.change_no < change.change_no) AS is_first${payload}
    --postgres FROM change
    --postgres WHERE organization_id = $1 AND change_no > $2 AND change_no <= $3 AND ${byArrival} AND ${ofTypesOnServer}
    --postgres ORDER BY change_no ${order} LIMIT $5`;
}

const thin = pageOf({ payload: "", order: "ASC" });
const full = pageOf({ payload: ", change.payload", order: "ASC" });
const last = pageOf({ payload: "", order: "DESC" });

type ChangeRow = readonly [
  changeNo: number,
  receivedAt: number,
  resourceType: string,
  resourceId: string,
  isFirst: number | boolean,
  payload?: string,
];

function toChange(row: ChangeRow): ArrivedChange {
  const [changeNo, receivedAt, resourceType, resourceId, isFirst, payload] = row;
  return { changeNo, receivedAt, resourceType, resourceId, isFirst: Boolean(isFirst), payload };
}

type NoticeRow = readonly [
  changeNo: number,
  receivedAt: number,
  resourceType: string,
  resourceId: string,
  kind: ArrivedNotice["kind"],
  deletionRequestId: string,
];

function toNotice(row: NoticeRow): ArrivedChange {
  const [changeNo, receivedAt, resourceType, resourceId, kind, deletionRequestId] = row;
  const notice = { kind, deletionRequestId };
  const event = { changeNo, receivedAt, resourceType, resourceId };
  return { ...event, isFirst: false, payload: undefined, notice };
}

/** Changes and notices in the order of arrival. */
export function* listArrivals(query: ArrivalQuery): Statements<readonly ArrivedChange[]> {
  const { organizationId, after, through, types, limit, content, fromEnd = false } = query;
  const isOfAll = recordTypes.every(({ resourceType }) => types.includes(resourceType));
  const wanted = isOfAll ? null : types;
  const values = [organizationId, after, through, wanted, limit] as const;
  const { list: parts } = yield* storeParts();
  const notices = parts.flatMap(({ arrivals }) => arrivals?.pages[fromEnd ? "DESC" : "ASC"] ?? []);
  const [changes, ...told] = yield* listsTogether<
    readonly [readonly ChangeRow[], ...(readonly NoticeRow[])[]]
  >(
    [fromEnd ? last : content ? full : thin, ...values],
    ...notices.map((sql) => [sql, ...values] as const),
  );
  const merged = [...changes.map(toChange), ...told.flat().map(toNotice)];
  const direction = fromEnd ? -1 : 1;
  merged.sort((one, other) => (one.changeNo - other.changeNo) * direction);
  return merged.slice(0, limit);
}

/** One statement for all organizations, so that waiting for changes costs the same for one organization as for many. */
const findNews = `
  --sqlite SELECT value AS organization_id FROM json_each($1)
  --sqlite WHERE EXISTS (
  --sqlite     SELECT 1 FROM record WHERE organization_id = value AND record_no > $2 AND record_no <= $3)
  --sqlite   OR EXISTS (
  --sqlite     SELECT 1 FROM change INDEXED BY change_later
  --sqlite     WHERE change_no > record_no AND change_no > $2 AND change_no <= $3)
  --postgres SELECT organization_id FROM unnest($1::text[]) AS waiting (organization_id) --elsewhere
  --postgres WHERE EXISTS ( --elsewhere
  --postgres   SELECT 1 FROM change --elsewhere
  --postgres   WHERE change.organization_id = waiting.organization_id --elsewhere
  --postgres     AND change_no > $2 AND change_no <= $3 AND ${byArrival}) --elsewhere
  --citus SELECT DISTINCT organization_id FROM change
  --citus WHERE organization_id = ANY ($1::text[]) AND change_no > $2 AND change_no <= $3 AND ${byArrival}
  `;

/** Those that may have changes in this range; on SQLite any later change may be of each of them. */
export function* findArrivals({
  organizations,
  after,
  through,
}: {
  readonly organizations: readonly string[];
  readonly after: number;
  readonly through: number;
}): Statements<readonly string[]> {
  const values = [organizations, after, through] as const;
  const { list: parts } = yield* storeParts();
  const findNotices = parts.flatMap(({ arrivals }) => arrivals?.news ?? []);
  type Rows = readonly { readonly organization_id: string }[];
  const found = yield* allTogether<readonly Rows[]>(
    [findNews, ...values],
    ...findNotices.map((sql) => [sql, ...values] as const),
  );
  return found.flat().map(({ organization_id }) => organization_id);
}

/** A timeline on which no number was given is replaced. */
const insert = `
  INSERT INTO arrival_timeline (after_no, timeline_id) VALUES ($1, $2)
  ON CONFLICT (after_no) DO UPDATE SET timeline_id = excluded.timeline_id`;

const toTimeline = reader<Timeline>({});

/** In order. */
export function* listTimelines() {
  return yield* list(
    toTimeline,
    `SELECT timeline_id, after_no FROM arrival_timeline ORDER BY after_no`,
  );
}

/** The numbers that are given from now on are on this timeline. */
export function* beginTimeline(timelineId: number): Statements<void> {
  yield* run(insert, yield* findLatestArrival(), timelineId);
}

/** Each number is found by an index, or in a table that stays small. */
const findHighest = ({ list: parts }: StoreParts) => `
  SELECT max(latest) AS highest FROM (
    --sqlite SELECT max(record_no) AS latest FROM change
    --sqlite UNION ALL SELECT max(change_no) FROM change WHERE change_no > record_no
    --postgres SELECT (
    --postgres   SELECT change_no FROM change WHERE change.organization_id = one.organization_id AND ${byArrival}
    --postgres   ORDER BY change.organization_id DESC, change_no DESC LIMIT 1) AS latest
    --postgres FROM organization AS one
    ${parts.flatMap(({ arrivalNumbers = [] }) => arrivalNumbers.map((sql) => `UNION ALL ${sql}`)).join(" ")}
    UNION ALL SELECT max(after_no) FROM arrival_timeline
  ) AS numbers`;

/** Leaves out numbers that were given to changes and notices of which nothing is left, not even a position. */
const spare = 1_000_000;

export interface StaleCounter {
  /** The last number that the counter knows of. */
  readonly counter: number;
  /** The highest number in the tables. */
  readonly highest: number;
  /** The number after which the counter can continue. */
  readonly safe: number;
}

/** Undefined if the counter is right. It is read last, because numbers are given before they are stored. */
export function* findStaleCounter(): Statements<StaleCounter | undefined> {
  const sql = findHighest(yield* storeParts());
  const highest = (yield* scalar<number | null>(sql)) ?? 0;
  const counter = yield* findLatestArrival();
  return highest > counter ? { counter, highest, safe: highest + spare } : undefined;
}

/** The findings of `check`. */
export function* checkCounter(): Statements<readonly string[]> {
  const stale = yield* findStaleCounter();
  if (stale === undefined) return [];
  return [
    `The counter of arrival numbers is at ${stale.counter}, but ${stale.highest} was given: the next changes would get numbers ` +
      `of earlier ones. \`${sluice} serve\` sets it, or says how to.`,
  ];
}
