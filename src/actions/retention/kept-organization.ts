// Says until when holds and floors keep the records of an organization that is to be closed.

import { formatDays } from "../../domain/retention/floor.ts";
import { countShownRecords } from "../access/find-organization.ts";
import type { App } from "../app.ts";
import { showing } from "../operator/viewer.ts";
import { listHolds } from "./holds.ts";
import { readRetention } from "./retention-rules.ts";

/**
 * Until when holds and floors keep everything of the organization, as text, without a trace of confidential types;
 * undefined if none does. A hold has no last day, and to find that of a floor all records would have to be read.
 */
export async function describeKept(
  opened: App,
  organizationId: string,
): Promise<string | undefined> {
  const app = showing(opened, { includeConfidential: false });
  const { shown } = await listHolds(app, { organizationId }, { limit: 1, examinedMax: Infinity });
  const counts = await countShownRecords(app, organizationId);
  const { rules } = await readRetention(app, organizationId);
  const kept = rules.filter(({ resourceType }) => Object.hasOwn(counts, resourceType));
  const keepDays = Math.max(0, ...kept.map((rule) => rule.keepDays));
  const conditions = [
    ...(shown.length > 0 ? ["all its holds are released"] : []),
    ...(keepDays > 0
      ? [`the last retention floor of its records (up to ${formatDays(keepDays)}) has ended`]
      : []),
  ];
  return conditions.length === 0 ? undefined : conditions.join(" and ");
}
