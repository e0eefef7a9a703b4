// Finds records by organization, type and id, and the records that refer to one. Shows no content.

import {
  findRecords,
  listDeletionsOf,
  type FoundRecord,
  type RecordQuery,
} from "../../actions/record/find-records.ts";
import {
  listReferrers,
  type NamingPart,
  readRelations,
  type Referrers,
  searchNamings,
} from "../../actions/record/relations.ts";
import { isPartyType } from "../../domain/deletion/party.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { titleOf } from "../../domain/record-types.ts";
import { renderOrganizationInput, renderTypeChoice, withOrganization } from "../html/filter.ts";
import {
  type Column,
  html,
  type Html,
  renderEmpty,
  renderRecords,
  renderTable,
} from "../html/html.ts";
import { type Next, type Person, readPanels } from "../page.ts";
import {
  pathTo,
  readRecordKey,
  recordPath,
  renderDeletionOf,
  renderRecordLink,
} from "../html/link.ts";
import { unixMsOf } from "../../domain/timestamp.ts";
import { renderExactTime } from "../html/time.ts";
import { renderInput } from "../html/field.ts";
import { renderOrganization } from "../html/party.ts";

export const screen = "/console/find";

const referrersShownMax = 50;

export async function showFind(visitor: Person): Promise<Next> {
  const person = { ...visitor, query: withOrganization(visitor) };
  const { query } = visitor;
  const key = readRecordKey(query);
  const isAsked = key.organizationId !== "" && key.resourceId !== "";
  const body = html`${await renderForm(person, key)}
  ${isAsked ? await renderAnswer(person, key) : renderHint(query)}
  ${await readPanels(person, (panels) => panels.find)}`;
  return { title: "Find", screen, body };
}

async function renderForm({ app, query }: Person, key: RecordKey): Promise<Html> {
  const types = await app.viewer.knownTypes(key.organizationId);
  return html`<form class="filters" method="get" action="${screen}">
    ${renderOrganizationInput(query, { required: true, autocomplete: "on" })}
    ${renderTypeChoice(query, types)}
    ${renderInput("Id of the record", "id", {
      value: key.resourceId,
      maxlength: 256,
      required: true,
    })}
    <button type="submit">Find</button>
  </form>`;
}

function renderHint(query: URLSearchParams): Html {
  return renderEmpty(
    query.size > 0
      ? "Enter the id of the organization and the id of the record."
      : html`Enter the id of an organization and the id of a record, as the organization has sent
        it. With a type, the records that refer to it are listed too, such as the persons of a
        company.`,
  );
}

async function renderAnswer(person: Person, key: RecordKey): Promise<Html> {
  const { app } = person;
  const type = key.resourceType === "" ? undefined : key.resourceType;
  const asked: RecordQuery = { ...key, resourceType: type };
  const found = await findRecords(app, asked);
  return html`${found.length === 0 ? await renderNone(person, asked) : renderTable(columns, found)}
  ${type !== undefined && (await renderReferring(person, key))}`;
}

/** An erased record leads to its deletion and its receipt. */
export async function renderNone({ app }: Person, asked: RecordQuery): Promise<Html> {
  const deletions = await listDeletionsOf(app, asked);
  const none = html`There is no record with this id in ${renderOrganization(asked.organizationId)}.
  Ids are compared exactly, with capitals and spaces.
  ${deletions.length === 0 && "No deletion of such a record was requested."}`;
  const items = deletions.map((deletion) => {
    const { deletionRequestId: id, status, completedAt } = deletion;
    const receipt = html`${renderExactTime(completedAt)}:
      <a href="${pathTo("receipt", id)}">receipt</a>`;
    return html`<li>
      The deletion of ${renderDeletionOf(deletion)} is ${status}
      ${completedAt !== undefined && receipt}
    </li>`;
  });
  return html`${renderEmpty(none)}
  ${
    items.length > 0 &&
    html`<ul>
      ${items}
    </ul>`
  }`;
}

function renderRelationsLink(record: FoundRecord): Html {
  return html`<a href="${recordPath(screen, record)}"
    >What refers to it<span class="sr">: ${titleOf(record.resourceType)}</span></a
  >`;
}

const columns: readonly Column<FoundRecord>[] = [
  ["Record", renderRecordLink, "bare"],
  ["First seen", ({ firstSeen }) => renderExactTime(unixMsOf(firstSeen))],
  ["Last seen", ({ lastSeen }) => renderExactTime(unixMsOf(lastSeen))],
  [html`<span class="sr">Relations</span>`, renderRelationsLink],
];

/** The records that refer to this record: the first ones of each type, or a part of those of one type. */
async function renderReferring(person: Person, key: RecordKey): Promise<Html> {
  const { app, query } = person;
  const resourceType = query.get("of") ?? "";
  const after = query.get("after") ?? undefined;
  const bounds = { referrersMax: referrersShownMax, referencesMax: 0 };
  const groups =
    resourceType === ""
      ? (await readRelations(app, key, bounds)).referrers
      : resourceType === named
        ? []
        : [await listReferrers(app, key, { resourceType, after, recordsMax: referrersShownMax })];
  const isParty = isPartyType(key.resourceType);
  return html`<section aria-labelledby="referring">
    <h2 id="referring">What refers to it</h2>
    ${groups.map((group) => renderReferrers(key, group))}
    ${groups.length === 0 && resourceType !== named && renderEmpty("No record refers to it.")}
    ${isParty && resourceType === named && renderNamings(key, await searchNamings(app, key))}
    ${isParty && resourceType === "" && renderNamingLink(key)}
  </section>`;
}

const named = "named";

function renderReferrers(key: RecordKey, { resourceType, records, hasMore }: Referrers): Html {
  const { organizationId } = key;
  const next = recordPath(screen, key, { of: resourceType, after: records.at(-1)?.resourceId });
  return html`<h3>${titleOf(resourceType)}</h3>
    ${
      records.length === 0
        ? renderEmpty("There are no more of this type.")
        : renderRecords(
            records,
            (record) =>
              html`${renderRecordLink({ organizationId, ...record })}
              ${record.kind === "mentions" && "(mentions it)"}`,
          )
    }
    ${hasMore && html`<p><a href="${next}">More of the type ${titleOf(resourceType)}</a></p>`}`;
}

function renderNamingLink(key: RecordKey): Html {
  return html`<p>
    <a href="${recordPath(screen, key, { of: named })}"
      >Transactions that name it as sender or receiver</a
    >
  </p>`;
}

function renderNamings({ organizationId }: RecordKey, { records, hasMore }: NamingPart): Html {
  const renderOne = (record: (typeof records)[number]) =>
    renderRecordLink({ organizationId, ...record });
  return html`<h3>Transactions that name it as sender or receiver</h3>
    ${records.length === 0 ? renderEmpty("No transaction names it.") : renderRecords(records, renderOne)}
    ${hasMore && html`<p>There are more than are listed.</p>`}`;
}
