// The pages of the console on a store that `fillStore` has filled: all that can be read, those with an id for what was
// stored, and those of what many records name.

import { routes } from "../src/process/console-routes.ts";
import { busy, type Filled } from "./console-store.ts";

/** Filters, and parts after the first one. */
const variants = [
  "/console/audit?action=deletion",
  "/console/audit?subject=transaction-7",
  "/console/audit?actor=nobody",
  "/console/deletions?status=pending&sort=due",
  "/console/deletions?status=completed",
  ...["grace", "hold", "floor", "approval", "mine"].map(
    (wait) => `/console/deletions?wait=${wait}`,
  ),
  "/console/holds?review=overdue",
  "/console/holds?owner=owner-7",
  "/console/holds?end=soon",
  "/console/organizations?q=filled",
  "/console/proposals?state=all",
];

export function pathsOf({ organizationId, ids }: Filled): readonly string[] {
  const own = routes.flatMap((route) => {
    if (route.method !== "GET" || route.open === true) return [];
    const [path, rest = ""] = route.path.split("/:id");
    const id = route.path.includes("/:id") ? ids[path ?? ""] : "";
    // What features have with an id of their own does not grow with a store.
    if (id === undefined) return [];
    return needRecord.has(route.path) ? [] : [id === "" ? route.path : `${path}/${id}${rest}`];
  });
  const named = busy.flatMap(([type, id]) => {
    const query = new URLSearchParams({ organization: organizationId, type, id }).toString();
    const paths = ["/console/find", ...needRecord].map((path) => `${path}?${query}`);
    return [...paths, `/console/find?${query}&of=named`, `/console/deletion/del_busy_${type}`];
  });
  const of = `organization=${organizationId}`;
  const retention = `/console/retention?${of}`;
  const rule = `${retention}&rule=transaction&keep=10&delete=365`;
  const ofOrganization = ["audit", "deletions", "erasures", "holds", "proposals"].map(
    (name) => `/console/${name}?${of}`,
  );
  return [
    ...own,
    ...variants,
    ...ofOrganization,
    ...named,
    retention,
    `${retention}&days=365`,
    rule,
  ];
}

const needRecord: ReadonlySet<string> = new Set(["/console/record", "/console/record/deletion"]);
