// Says until when holds and floors keep the records of an organization that is to be closed.

import { formatDays } from "../../domain/retention/floor.ts";
import type { App } from "../app.ts";
import { showing } from "../operator/viewer.ts";
import { listHolds } from "./holds.ts";
import { readRetention } from "./retention-rules.ts";

interface Counted {
  readonly organizationId: string;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Until when holds and floors keep everything of the organization, as text, without a trace of confidential types;
 * undefined if none is known. `counts`: of its records, by type. The last day of a floor is not searched: all records
 * would have to be read.
 */
export async function describeKept(
  opened: App,
  { organizationId, counts }: Counted,
): Promise<string | undefined> {
  const app = showing(opened, { includeConfidential: false });
  const { shown } = await listHolds(app, { organizationId }, { limit: 1 });
  const { rules } = await readRetention(app, organizationId);
  const kept = rules.filter(({ resourceType }) => Object.hasOwn(counts, resourceType));
  const keepDays = Math.max(0, ...kept.map((rule) => rule.keepDays));
  const conditions = [
    ...(shown.length > 0 ? ["all its holds have ended"] : []),
    ...(keepDays > 0
      ? [`the last retention floor of its records (up to ${formatDays(keepDays)}) has ended`]
      : []),
  ];
  return conditions.length === 0 ? undefined : conditions.join(" and ");
}
