// The receipts of completed deletions, and the keys that sign them.

import {
  downloadReceipts,
  listReceipts,
  mayListReceipts,
  type ReceiptPart,
} from "../../actions/receipt/list-receipts.ts";
import { type PublishedKeys, publishReceiptKeys } from "../../actions/receipt/receipt-keys.ts";
import { renderDeletionOf } from "../../console/html/link.ts";
import { readText, renderButton } from "../../console/html/field.ts";
import {
  onlyOrganization,
  organizationColumn,
  renderNext,
  renderOrganizationInput,
  withOrganization,
} from "../../console/html/filter.ts";
import { sendDownload } from "../../console/request/download.ts";
import { type Column, html, type Html, renderTable } from "../../console/html/html.ts";
import type { Next, Person } from "../../console/page.ts";
import { renderExactTime } from "../../console/html/time.ts";
import { renderOrganization } from "../../console/html/party.ts";

const screen = "/console/receipts";

const download = "/console/receipts/download";

type StoredReceipt = ReceiptPart["receipts"][number];

export async function showReceipts(person: Person): Promise<Next> {
  const { app } = person;
  const query = withOrganization(person);
  const organizationId = readText(query, "organization");
  const place = /^\d{1,15}$/.exec(query.get("before") ?? "")?.[0];
  const before = place === undefined ? undefined : Number(place);
  const part = mayListReceipts(app) && (await listReceipts(app, { organizationId, before }));
  const body = html`${part && renderPart(part, query)} ${renderKeys(await publishReceiptKeys(app))}`;
  return { title: "Receipts", screen, body };
}

function renderPart({ receipts, next }: ReceiptPart, query: URLSearchParams): Html {
  const organization = readText(query, "organization");
  const only = organization ?? onlyOrganization(receipts, ownerOf);
  const where = next === undefined ? "here" : "among those that were examined";
  const empty = `There is no receipt ${where}. Each completed deletion gets one.`;
  return html`<section aria-labelledby="list">
    <h2 id="list">Completed deletions</h2>
    <form class="filters" method="get" action="${screen}">
      ${renderOrganizationInput(query)}
      <button type="submit">Filter</button>
    </form>
    ${only !== undefined && html`<p>These are of ${renderOrganization(only)}.</p>`}
    ${renderTable(columnsOf(only), receipts, { empty })}
    ${renderNext("Older receipts", screen, { query, place: { before: next } })}
    <p>
      Receipts as NDJSON, in the order of their chain, to be verified; those of all organizations
      also for a replay after a restore. That you downloaded them is in the audit trail.
    </p>
    ${organization !== undefined && renderButton(html`Download the receipts of ${renderOrganization(organization)}`, download, { fields: { organization } })}
    ${renderButton("Download the receipts of all organizations", download)}
  </section>`;
}

const ownerOf = ({ receipt }: StoredReceipt) => receipt.organization_id;

const columnsOf = (only: string | undefined): readonly Column<StoredReceipt>[] => [
  ["Receipt", ({ receipt }) => receipt.receipt_no, "number"],
  ["Record", renderRecord, "bare"],
  ...organizationColumn(only, ownerOf),
  ["Completed", ({ receipt }) => renderExactTime(Date.parse(receipt.completed_at))],
];

function renderRecord({
  receipt: { asked, deletion_request_id: deletionRequestId },
}: StoredReceipt) {
  const { resource_type: resourceType, resource_id: resourceId } = asked;
  return renderDeletionOf({ deletionRequestId, resourceType, resourceId });
}

const keyColumns: readonly Column<PublishedKeys["keys"][number]>[] = [
  ["Key", ({ kid }) => html`<code>${kid}</code>`, "head"],
  ["Since", ({ created_at: since }) => renderExactTime(Date.parse(since))],
  [
    "Until",
    ({ retired_at: until }) =>
      until === undefined ? "in use" : renderExactTime(Date.parse(until)),
  ],
];

function renderKeys({ store_id: storeId, keys }: PublishedKeys): Html {
  return html`<section aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    <p>
      The public keys of the store <code>${storeId}</code>, which
      <a href="/.well-known/sluice-receipts.json">anybody can read</a>. Replaced ones stay, so that
      earlier receipts remain genuine.
    </p>
    ${renderTable(keyColumns, keys)}
  </section>`;
}

export async function sendReceipts(person: Person, form: URLSearchParams): Promise<undefined> {
  const organizationId = readText(form, "organization");
  const pages = await downloadReceipts(person.app, organizationId);
  return sendDownload(person, {
    fileName: "receipts.ndjson",
    pages,
    view: ({ receipt }) => receipt,
    organizationId,
    query: { export: "receipts" },
  });
}
