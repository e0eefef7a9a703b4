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
import { renderChip } from "../html/chip.ts";
import { deletionPath, renderRecordName } from "../html/link.ts";
import { renderButton } from "../html/field.ts";
import { renderNext } from "../html/filter.ts";
import { sendDownload } from "../request/download.ts";
import { type Column, html, type Html, renderTable } from "../html/html.ts";
import type { Next, Person } from "../page.ts";
import { formatCount, formatNumber, renderExactTime, renderTime } from "../html/time.ts";
import { renderOrganization } from "../html/party.ts";

const screen = "/console/receipts";

type StoredReceipt = ReceiptPart["receipts"][number];

export async function showReceipts(person: Person): Promise<Next> {
  const { app, query } = person;
  const before = /^\d{1,15}$/.exec(query.get("before") ?? "")?.[0];
  const part = mayListReceipts(app)
    ? await listReceipts(app, before === undefined ? undefined : Number(before))
    : undefined;
  const body = html`${verificationForm} ${part !== undefined && renderPart(part)}
  ${renderKeys(await publishReceiptKeys(app))}`;
  return { title: "Receipts", screen, body };
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
    ${renderTable(receiptColumns, receipts, { empty: "There is no receipt here. Each completed deletion gets one." })}
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
    ${renderTable(keyColumns, keys)}
  </section>`;
}

export async function verifyOne(person: Person, form: URLSearchParams): Promise<Next> {
  const verified = await verifyPresented(person.app, form.get("receipts") ?? "");
  const body = html`${renderSteps(verified)}
    <h2>Each receipt</h2>
    <ul class="verdicts">
      ${verified.verdicts.map(renderVerdict)}
    </ul>
    <p><a href="/console/receipts">To the receipts</a></p>`;
  return { title: "Verification of receipts", screen, body };
}

/** What was compared, in three steps: genuine, complete, and what nothing here can show. */
function renderSteps({ verdicts, faults }: Presented): Html {
  const wrong = verdicts.filter(isWrong).length;
  const genuine =
    wrong === 0
      ? renderChip("good", "genuine")
      : renderChip("bad", `${formatNumber(wrong)} not genuine`);
  const unproved = verdicts.flatMap(({ unverified }) => unverified);
  return html`<ol class="steps">
    <li>
      ${genuine} ${formatCount(verdicts.length, "receipt")} compared with the published keys: each
      signature, and what is disclosed or stated with it.
    </li>
    <li>${renderCompleteness(verdicts, faults)}</li>
    <li>
      ${renderChip("open", "not examined")} Whether receipts are missing before the first or after
      the last of these: compare heads that somebody has stored.
      ${unproved.length > 0 && html`Nothing here proves: <bdi>${unproved.join(", ")}</bdi>.`}
    </li>
  </ol>`;
}

type Presented = Awaited<ReturnType<typeof verifyPresented>>;
type Verdict = Presented["verdicts"][number];

function isWrong({ receipt, faults }: Verdict): boolean {
  return receipt === undefined || faults.length > 0;
}

function renderCompleteness(verdicts: readonly Verdict[], faults: readonly string[]): Html {
  if (faults.length > 0) {
    return html`${renderChip("bad", "not complete")} ${faults.map((fault) => html`${fault} `)}`;
  }
  const chain = verdicts
    .flatMap(({ receipt }) => receipt ?? [])
    .filter((one) => one.receipt_no > 0);
  const [first, last] = [chain[0], chain.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    return html`${renderChip("open", "not examined")} One receipt says nothing about others.`;
  }
  return html`${renderChip("good", "complete")} up to ${renderTime(Date.parse(last.completed_at))}:
  none is missing between the receipts ${first.receipt_no} and ${last.receipt_no}.`;
}

function renderVerdict(verdict: Verdict): Html {
  const { name, receipt, faults, disclosed } = verdict;
  if (receipt === undefined || isWrong(verdict)) {
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
