// The pages of the console that need no id, those of a record and of a deletion, and what is on them.

import { changeOrganization } from "../src/actions/access/change-organization.ts";
import type { App } from "../src/actions/app.ts";
import { requestDeletionOf } from "../src/actions/deletion/request-as-operator.ts";
import { holdRecord } from "../src/actions/retention/holds.ts";
import { routes } from "../src/process/console-routes.ts";
import { idOf } from "./fill.ts";

/** How many there are of each kind, so that lists have more than one page. */
const rowsOfLists = 200;

/** Stores deletions that wait, and holds, in an organization that `fill` has filled. Returns the id of a deletion. */
export async function addLists(app: App, organizationId: string): Promise<string> {
  await changeOrganization(app, organizationId, { deletionGraceSeconds: 86_400 });
  let last = "";
  for (let index = 0; index < rowsOfLists; index += 1) {
    const resourceId = idOf(index, "ordered");
    const target = { organizationId, resourceType: "transaction", resourceId };
    if (index % 2 === 0) await holdRecord(app, target, { reason: "benchmark" });
    last = (await requestDeletionOf(app, { ...target, reason: "benchmark" })).deletionRequestId;
  }
  return last;
}

export function pathsOf(organizationId: string, deletionId: string): readonly string[] {
  const record = new URLSearchParams({
    organization: organizationId,
    type: "transaction",
    id: idOf(7, "ordered"),
  }).toString();
  const own = routes.filter(
    ({ method, path, open }) => method === "GET" && open !== true && !path.includes(":"),
  );
  const needRecord = new Set<string>(["/console/record", "/console/record/deletion"]);
  return [
    ...own.map(({ path }) => (needRecord.has(path) ? `${path}?${record}` : path)),
    `/console/deletion/${deletionId}`,
    "/console/deletions?status=pending&wait=grace",
    ...(own.some(({ path }) => path === "/console/find") ? [`/console/find?${record}`] : []),
    ...(own.some(({ path }) => path === "/console/retention")
      ? [`/console/retention?organization=${organizationId}&days=365`]
      : []),
  ];
}
