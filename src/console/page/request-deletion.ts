// Requests the deletion of a record: shows what it would erase and when, then a form for a reason and the typed id.

import { deletionBases, deletionBasisNames, noBasis } from "../../domain/deletion/basis.ts";
import { nounOf, titleOf } from "../../domain/record-types.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { previewRequest } from "../../actions/deletion/preview-request.ts";
import { describeOpen, requestDeletionOf } from "../../actions/deletion/request-as-operator.ts";
import type { Next, Person } from "../page.ts";
import {
  deletionPath,
  readRecordKey,
  recordPath,
  renderDeletionLink,
  renderKeyFields,
  renderRecordLink,
} from "../html/link.ts";
import { readText, renderReason, renderIdField, requireTyped } from "../html/field.ts";
import { renderChoice } from "../html/filter.ts";
import { html } from "../html/html.ts";
import { formatExactDuration } from "../html/time.ts";
import {
  boundsOf,
  isUnhindered,
  renderEarliest,
  renderFate,
  renderPreview,
} from "./deletion-preview.ts";
import { screen } from "./find.ts";
import { renderOrganization } from "../html/party.ts";

const bases = deletionBasisNames.map((name) => [name, deletionBases[name]] as const);

export async function showDeletionForm(person: Person): Promise<Next> {
  const { app, query } = person;
  const key = readRecordKey(query);
  const isWhole = query.has("whole");
  const preview = await previewRequest(app, key, boundsOf(person));
  const { deletionGraceSeconds, deletionApproval, open } = preview;
  const isFree = isUnhindered(preview) && !preview.isCut && !deletionApproval;
  const grace = deletionGraceSeconds > 0 && formatExactDuration(deletionGraceSeconds * 1_000);
  const start = isFree
    ? grace
      ? `It begins after ${grace}, and can be cancelled until then.`
      : "It begins at once and cannot be cancelled then."
    : `It begins when nothing prevents it any more${grace ? `, after ${grace} at the earliest` : ""}, and can be cancelled until then.`;
  const whole = isWhole ? undefined : recordPath("/console/record/deletion", key, { whole: "yes" });
  const form = html`<section class="danger" aria-labelledby="request">
    <h2 id="request">Request the deletion</h2>
    <p>
      ${renderFate(key, preview)} ${start} While it is open, the organization can't change the
      record. ${renderEarliest(preview)} Type the id of the record to confirm.
    </p>
    <form method="post" action="/console/record/deletion">
      ${renderKeyFields(key)} ${renderReason()}
      ${renderChoice("Basis", "basis", { query, values: bases, unset: noBasis })}
      ${renderIdField("record")}
      <button type="submit">Request the deletion</button>
    </form>
    <p class="note">The organization can read the reason and the basis.</p>
  </section>`;
  const body = html`<p>
      ${renderRecordLink(key)} of the organization ${renderOrganization(key.organizationId)}
    </p>
    ${renderPreview(key, preview, { needsApproval: deletionApproval, whole })}
    ${open === undefined ? form : html`<p>Its deletion ${renderDeletionLink(open)} is open.</p>`}`;
  const name = titleOf(key.resourceType);
  const title = `Delete ${nounOf(key.resourceType)}`;
  const within = [[recordPath("/console/record", key), `${name} ${key.resourceId}`] as const];
  return { title, id: key.resourceId, screen, within, body };
}

export async function requestOne(person: Person, form: URLSearchParams): Promise<Next> {
  const key = readRecordKey(form);
  requireTyped(form, key.resourceId, "record");
  const reason = readText(form, "reason") ?? "";
  const basis = readText(form, "basis");
  const deletion = await requestDeletionOf(person.app, { ...key, reason, basis });
  if (deletion.wasOpen) throw new OperatorError("deletion_open", describeOpen(deletion));
  return deletionPath(deletion.deletionRequestId);
}
