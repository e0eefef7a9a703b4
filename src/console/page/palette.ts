// What the command palette finds besides the screens: actions, organizations, and records by their id in the chosen
// organization. Without scripts there is no palette; every address is also on a page.

import { listOrganizations } from "../../actions/access/find-organization.ts";
import { findRecords } from "../../actions/record/find-records.ts";
import { titleOf } from "../../domain/record-types.ts";
import { deletionPath, pathTo, recordPath } from "../html/link.ts";
import { jsonReply, type Next, type PaletteAction, type Person } from "../page.ts";

interface Found {
  readonly kind: string;
  readonly label: string;
  readonly href: string;
}

const ownActions: readonly PaletteAction[] = [
  ["Request a deletion: find the record", "/console/find", "deletion.request"],
  ["Approve deletions", "/console/deletions?wait=mine", "deletion.approve"],
  ["Place a hold: find the record", "/console/find", "hold.place"],
  ["Create an organization", "/console/organizations#create", "organization.create"],
  ["Verify the audit trail", "/console/audit#chain", "audit.read"],
];

const organizationsMax = 6;
const textMax = 256;

export async function searchAll(person: Person): Promise<Next> {
  const text = (person.query.get("q") ?? "").trim().slice(0, textMax);
  const wanted = text.toLowerCase();
  const added = person.sources.panels.flatMap(({ actions = [] }) => actions);
  const acts = [...ownActions, ...added]
    .filter(
      ([label, , right]) => person.app.viewer.may(right) && label.toLowerCase().includes(wanted),
    )
    .map(([label, href]) => ({ kind: "Action", label, href }));
  const found = [
    ...acts,
    ...(await findOrganizations(person, wanted)),
    ...(await findIds(person, text)),
  ];
  return jsonReply({ found });
}

async function findOrganizations({ app }: Person, wanted: string): Promise<readonly Found[]> {
  return (await listOrganizations(app))
    .filter(({ organizationId: id, name }) => `${id} ${name}`.toLowerCase().includes(wanted))
    .slice(0, organizationsMax)
    .map(({ organizationId: id, name }) => ({
      kind: `Organization ${id}`,
      label: name,
      href: pathTo("organization", id),
    }));
}

async function findIds({ app, organization }: Person, id: string): Promise<readonly Found[]> {
  if (/^del_\w+$/.test(id)) return [{ kind: "Deletion", label: id, href: deletionPath(id) }];
  if (organization === undefined || id === "") return [];
  const key = { organizationId: organization, resourceType: undefined, resourceId: id };
  const found = await findRecords(app, key);
  return found.map((record) => ({
    kind: titleOf(record.resourceType),
    label: record.resourceId,
    href: recordPath("/console/record", record),
  }));
}
