// The receipts of completed deletions: their list, the keys that sign them, and the verification of a receipt that
// somebody presents.

import {
  downloadReceipts,
  listReceipts,
  mayListReceipts,
  type ReceiptPart,
  verifyPresented,
} from "../../actions/receipt/list-receipts.ts";
import { type PublishedKeys, publishReceiptKeys } from "../../actions/receipt/receipt-keys.ts";
import type { DisclosedVerdict } from "../../actions/receipt/verify-disclosures.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { deletionPath, renderRecordName } from "../html/link.ts";
import { renderButton } from "../html/field.ts";
import { renderNext } from "../html/filter.ts";
import { sendDownload } from "../request/download.ts";
import { type Html, html, type Column, renderFocusableTable } from "../html/html.ts";
import { showPage, type Person, readForm } from "../page.ts";
import { renderExactTime, renderTime } from "../html/time.ts";
import { renderOrganization } from "../html/party.ts";

const screen = "/console/receipts";

type StoredReceipt = ReceiptPart["receipts"][number];

export async function showReceipts(person: Person): Promise<Answer> {
  const { app, query } = person;
  const before = /^\d{1,15}$/.exec(query.get("before") ?? "")?.[0];
  const part = mayListReceipts(app)
    ? await listReceipts(app, before === undefined ? undefined : Number(before))
    : undefined;
  const body = html`${verificationForm} ${part !== undefined && renderPart(part)}
  ${renderKeys(await publishReceiptKeys(app))}`;
  return showPage(person, { title: "Receipts", screen, body });
}

const verificationForm = html`<section aria-labelledby="verify">
  <h2 id="verify">Verify a receipt</h2>
  <form method="post" action="/console/receipts/verify">
    <label
      >A receipt as JSON, the status of a deletion that has one, or several as a list or NDJSON
      <textarea name="receipts" rows="6" required spellcheck="false"></textarea>
    </label>
    <p><button type="submit">Verify</button></p>
  </form>
</section>`;

function renderPart({ receipts, next }: ReceiptPart): Html {
  return html`<section aria-labelledby="list">
    <h2 id="list">Receipts</h2>
    ${
      receipts.length === 0
        ? html`<p class="empty">There is no receipt here. Each completed deletion gets one.</p>`
        : renderFocusableTable(receiptColumns, receipts)
    }
    ${renderNext("Older receipts", screen, { place: { before: next } })}
    <p>
      All receipts as NDJSON, in the order of their chain, for
      <code>sluice receipt verify</code> and for a replay after a restore. That you downloaded them
      is in the audit trail.
    </p>
    ${renderButton("Download the receipts", "/console/receipts/download")}
  </section>`;
}

const receiptColumns: readonly Column<StoredReceipt>[] = [
  ["Receipt", ({ receipt }) => receipt.receipt_no, "number"],
  [
    "Record",
    ({ receipt: { asked, deletion_request_id: id } }) =>
      html`<a href="${deletionPath(id)}"
        >${renderRecordName({ resourceType: asked.resource_type, resourceId: asked.resource_id })}</a
      >`,
    "bare",
  ],
  ["Organization", ({ receipt }) => renderOrganization(receipt.organization_id)],
  ["Completed", ({ receipt }) => renderExactTime(Date.parse(receipt.completed_at))],
];

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
    ${renderFocusableTable(keyColumns, keys)}
  </section>`;
}

export async function verifyOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const { verdicts, faults } = await verifyPresented(person.app, form.get("receipts") ?? "");
  const body = html`<ul class="verdicts">
      ${verdicts.map(renderVerdict)}
    </ul>
    ${faults.map((fault) => html`<p role="alert">${fault}</p>`)}
    <p><a href="/console/receipts">To the receipts</a></p>`;
  return showPage(person, { title: "Verification of receipts", screen, body });
}

function renderVerdict({ name, receipt, faults, disclosed }: DisclosedVerdict): Html {
  if (receipt === undefined || faults.length > 0) {
    return html`<li>
      <strong>Not genuine:</strong> <bdi>${name}</bdi>. ${faults.map((fault) => html`${fault} `)}
    </li>`;
  }
  const { asked, organization_id: organizationId, completed_at: at } = receipt;
  const numbers = Object.entries(disclosed).flatMap(([type, byKind]) =>
    Object.entries(byKind).map(([kind, count]) => `${type} ${kind.replaceAll("_", " ")} ${count}`),
  );
  return html`<li>
    <strong>Genuine:</strong> ${name}: ${asked.resource_type} <bdi>${asked.resource_id}</bdi> of
    ${renderOrganization(organizationId)}, completed ${renderTime(Date.parse(at))}.
    ${numbers.length > 0 && html`Verified numbers: ${numbers.join(", ")}.`}
  </li>`;
}

export async function downloadAllReceipts(person: Person): Promise<undefined> {
  const pages = await downloadReceipts(person.app);
  return sendDownload(person, {
    fileName: "receipts.ndjson",
    pages,
    view: receiptOf,
    organizationId: undefined,
    query: { export: "receipts" },
  });
}

function receiptOf({ receipt }: StoredReceipt): object {
  return receipt;
}
