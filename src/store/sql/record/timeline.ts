// The timelines of arrival numbers (domain/record/timeline.ts): each replay begins one, while nobody serves the store.

import type { Timeline } from "../../../domain/record/timeline.ts";
import { reader } from "../../row/reader.ts";
import { list, run, type Statements } from "../statement/statements.ts";
import { findLatestArrival } from "./record.ts";

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
