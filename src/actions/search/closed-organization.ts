// Decides what a search or an answer may state of a closed organization. Its records remain until the last hold and the
// last floor of any of them have ended, those of reports too; so whether they are still there may disclose a report.

import type { Organization } from "../../domain/access.ts";
import type { App } from "../app.ts";
import { hasRight } from "../operator/viewer.ts";

/** Longer than an answer takes, so that its records are not erased meanwhile. */
const answerMsMax = 3_600_000;
const examinedAtOnce = 10_000;

/** Of a closed organization, only while records that everybody may know of keep all of them: no report plays a part. */
export async function mayStateRecords(app: App, organization: Organization): Promise<boolean> {
  const { organizationId, closedAt } = organization;
  if (closedAt === undefined || hasRight(app, "confidential.read")) return true;
  const until = app.now() + answerMsMax;
  return (
    (await app.store.retention.keepsOrganization({ organizationId, closedAt, until })) &&
    !(await wereRulesChanged(app, { organizationId, closedAt }))
  );
}

/** By the rules from before, the records may have been erased already if there was no report. */
async function wereRulesChanged(
  { store }: App,
  { organizationId, closedAt }: { readonly organizationId: string; readonly closedAt: number },
): Promise<boolean> {
  const query = {
    organizationId,
    action: "retention",
    actor: undefined,
    from: closedAt,
    until: undefined,
    limit: 1,
    examinedMax: examinedAtOnce,
  };
  let before: number | undefined;
  do {
    const { entries, next } = await store.trail.search({ ...query, before });
    if (entries.length > 0) return true;
    before = next;
  } while (before !== undefined);
  return false;
}
