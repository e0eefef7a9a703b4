// Decides what a search or an answer may state of a closed organization. Its records remain until the last hold and the
// last floor of any of them have ended, those of reports too; so whether they are still there may disclose a report.

import { hourMs } from "../../basics/duration.ts";
import type { Organization } from "../../domain/access.ts";
import type { App } from "../app.ts";
import { hasRight } from "../operator/viewer.ts";
import { findEntry } from "../pages.ts";

/** Longer than it takes to write an answer: what an answer states is not erased before it is finished. */
const answerMsMax = hourMs;

/** For a closed organization, true only while records that everybody may know of keep all: no report matters. */
export async function mayStateRecords(app: App, organization: Organization): Promise<boolean> {
  const { organizationId, closedAt } = organization;
  if (closedAt === undefined || hasRight(app, "confidential.read")) return true;
  const until = app.now() + answerMsMax;
  if (!(await app.store.retention.keepsOrganization({ organizationId, closedAt, until }))) {
    return false;
  }
  // The rules from before may have let the records be erased already if there was no report.
  const changed = await findEntry(app, { organizationId, action: "retention", from: closedAt });
  return changed === undefined;
}
