// Proof for auditors: verifies a file that a person uploads, and shows when the store was backed up and restored.

import {
  type Copies,
  listCopies,
  presentedBytesMax,
  type PresentedVerdict,
  verifyUpload,
} from "./verify-upload.ts";
import type { AuditEntry } from "../../domain/access.ts";
import { renderChip } from "../../console/html/chip.ts";
import {
  type Column,
  html,
  type Html,
  type HtmlValue,
  renderFacts,
  renderTable,
} from "../../console/html/html.ts";
import { renderTrail } from "../../console/html/link.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { renderDetail } from "../../console/page/audit.ts";
import { formatCount } from "../../basics/format-count.ts";
import { formatBytes, formatNumber, renderTime } from "../../console/html/time.ts";
import { act, read, send } from "../../console/route.ts";
import type { Next, Person } from "../../console/page.ts";
import { sendReceipts, showReceipts } from "./receipt-pages.ts";
import { receiveFileForm } from "../../console/request/multipart.ts";

const screen = "/console/proof";
const right = "deletion.read";

/** The manifest of a folder with a file for each record type takes 3 kB. */
const fieldBytesMax = 16_384;

async function showProof(person: Person): Promise<Next> {
  const copies = await listCopies(person.app);
  const body = html`${renderVerifying(person)} ${copies !== undefined && renderCopies(copies)}`;
  return { title: "Verify a file", screen, body };
}

const renderVerifying = ({ app }: Person) =>
  html`<section aria-labelledby="verify">
      <h2 id="verify">The file</h2>
      <p>
        Receipts, the audit trail, or an export with its manifest, up to
        ${formatBytes(presentedBytesMax)} and not compressed. Each signature and each link of a
        chain is verified with the keys of this service; what was removed, changed or added is
        reported. The file is not stored.
      </p>
      <form method="post" action="/console/proof" enctype="multipart/form-data">
        <details>
          <summary>A manifest beside the file, or heads that you stored earlier</summary>
          <label
            >Manifest, as JSON: for CSV, Parquet and a file of a folder
            <textarea name="manifest" rows="3" spellcheck="false"></textarea>
          </label>
          <label
            >Heads, as <a href="/.well-known/sluice-heads.json">this service publishes them</a>:
            find the missing end of receipts and of the trail
            <textarea name="heads" rows="3" spellcheck="false"></textarea>
          </label>
        </details>
        <label>File <input type="file" name="file" required /></label>
        <p><button type="submit" class="main">Verify</button></p>
      </form>
    </section>
    <section aria-labelledby="files">
      <h2 id="files">Files to verify</h2>
      <p>
        <a href="/console/receipts">Receipts</a> and the ${renderTrail(app)} can be downloaded; the
        last line of each file is its signed manifest. The
        <a href="/.well-known/sluice-receipts.json">public keys</a> and the
        <a href="/.well-known/sluice-heads.json">signed heads</a> can be read by anybody. Store a
        copy of the heads: everything up to their time has to be in each later file.
      </p>
    </section>`;

const copyColumns: readonly Column<AuditEntry>[] = [
  ["Time", ({ at }) => renderTime(at), "head"],
  ["What", ({ action }) => names[action] ?? action],
  ["By", ({ actor }) => html`<bdi>${actor}</bdi>`],
  ["Entry of the trail", ({ entryNo }) => formatNumber(entryNo)],
];

const names: Readonly<Record<string, string>> = {
  "store.backup": "backup",
  "store.restore": "restore: the chains were cut here",
  "store.replay": "deletions were replayed",
  "store.move": "moved to PostgreSQL",
};

function renderCopies({ entries: copies, next }: Copies): Html {
  return html`<section aria-labelledby="copies">
    <h2 id="copies">Backups and restores</h2>
    ${renderTable(copyColumns, copies, { empty: "None was found." })}
    ${
      next !== undefined &&
      html`<p class="note">
        Entries of the trail before number ${formatNumber(next)} were not examined:
        <a href="/console/audit?action=store&amp;before=${next}">continue in the audit trail</a>.
      </p>`
    }
    <p class="note">
      Backups and restores that were made with Sluice. Backups with the tools of PostgreSQL are not
      listed; a restore with them is, once its deletions were replayed.
    </p>
  </section>`;
}

/** A person without the right gets an error before the file is read. */
async function verifyProof(person: Person): Promise<Next> {
  const { app } = person;
  app.viewer.require("deletion.read");
  const { name, verdict } = await receiveFileForm(
    person,
    async ({ fields, fileName, content }) => {
      const [manifest = "", heads = ""] = [fields.get("manifest"), fields.get("heads")];
      return { name: fileName, verdict: await verifyUpload(app, { content, manifest, heads }) };
    },
    { fieldBytesMax },
  );
  const body = html`${renderVerdict(name, verdict)}
    <p><a href="/console/proof">Verify another file</a></p>`;
  return { title: "Verification of a file", screen, body };
}

const nouns = { receipts: "receipt", audit: "entry", export: "row" } as const;

/** Three steps: whether it is genuine, up to when it is complete, and what was not examined. */
function renderVerdict(name: string, verdict: PresentedVerdict): Html {
  const { faults, explained, kind, rows = 0, manifest, isHeadGiven } = verdict;
  const { until, notExamined } = verdict.completeness;
  const isGenuine = faults.length === 0;
  const links = kind === "export" ? "" : " and each link of the chain";
  const basis = isHeadGiven ? "the published head" : "the rows and the digest in its manifest";
  return html`<p><bdi>${shorten(name)}</bdi></p>
    <ol class="timeline">
      <li>
        ${isGenuine ? renderChip("good", "genuine") : renderChip("bad", "not genuine, or not complete")}
        Each signature${links} was compared with the keys of this service.
        ${!isGenuine && renderList(faults.map(shorten), "alert")}
        ${explained.length > 0 && renderList(explained)}
      </li>
      <li>
        ${
          isGenuine && until !== undefined
            ? html`${renderChip("good", "complete")} up to ${renderIso(until)}: it was compared with
              ${basis}.`
            : renderChip("wait", "up to when it is complete is not known")
        }
      </li>
      <li>
        ${
          notExamined.length === 0
            ? renderChip("good", "everything in the file was examined")
            : html`${renderChip("wait", "not examined")} ${renderList(notExamined)}`
        }
      </li>
    </ol>
    ${renderFacts([
      ["Contains", formatCount(rows, nouns[kind])],
      ["Published head", describeHead(verdict)],
      ...(manifest === undefined
        ? [["Manifest", "none"] as const]
        : describeManifest(verdict, manifest)),
    ])}`;
}

function renderList(items: readonly string[], role?: "alert"): Html {
  return html`<ul role="${role ?? "list"}">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

/** A file can say anything. */
function renderIso(text: string): HtmlValue {
  const time = Date.parse(text);
  return Number.isNaN(time) ? shorten(text) : renderTime(time);
}

function describeHead({ head, isHeadGiven, faults }: PresentedVerdict): string {
  if (!isHeadGiven) return "not compared: none was given";
  if (head !== undefined) return `found: number ${formatNumber(head)}`;
  return faults.length === 0 ? "nothing was in the chain at its time" : "not found in the file";
}

function describeManifest(
  { notedIn }: PresentedVerdict,
  manifest: NonNullable<PresentedVerdict["manifest"]>,
): readonly (readonly [string, HtmlValue])[] {
  const { made_at: at, export_id: id, organization_id: organization, query } = manifest;
  return [
    ["Exported", html`${renderIso(at)}, as <code>${shorten(id)}</code>`],
    ["Organization", organization === null ? "all" : renderOrganization(shorten(organization))],
    ["Query", renderDetail(query)],
    [
      "Audit trail",
      notedIn === undefined
        ? "the digest of the manifest was not found, or you may not read the trail"
        : `entry ${formatNumber(notedIn)} has the digest of the manifest`,
    ],
  ];
}

const shownCharacters = 400;

function shorten(text: string): string {
  return text.length <= shownCharacters
    ? text
    : `${text.slice(0, shownCharacters).toWellFormed()}…`;
}

export const screens = [
  {
    task: "Proof",
    path: "/console/receipts",
    label: "Receipts",
    right: "deletion.read",
    icon: "receipt",
  },
  { task: "Proof", path: screen, label: "Verify a file", right, icon: "proof" },
] as const;

export const routes = [
  read("/console/receipts", "deletion.read", showReceipts),
  act("/console/receipts/download", "receipt.read", sendReceipts),
  read(screen, right, showProof),
  { ...send(screen, right, verifyProof, showProof), lasting: true },
];
