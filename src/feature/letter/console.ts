// The pages of letters, and what they add to other pages: the answer to an authority, the copy for people, and the
// letter about an erasure.

import { Readable } from "node:stream";
import {
  readText,
  renderButton,
  renderInput,
  renderReason,
  renderTick,
} from "../../console/html/field.ts";
import { html, type Html } from "../../console/html/html.ts";
import {
  deletionPath,
  keyFields,
  readRecordKey,
  renderKeyFields,
} from "../../console/html/link.ts";
import {
  type FoundParty,
  type Next,
  openedOf,
  type Panels,
  type Person,
} from "../../console/page.ts";
import { sendFile, sendStream } from "../../console/request/download.ts";
import { pageHeaders } from "../../console/request/headers.ts";
import { act, read } from "../../console/route.ts";
import { limits } from "../../domain/limits.ts";
import { answerSubject } from "../subject/answer-subject.ts";
import { renderForm, requestOf, searchedMax } from "../subject/pages.ts";
import { auditSubject } from "../subject/read-subject.ts";
import { rights } from "../subject/rows.ts";
import { writeAnswer } from "./answer.ts";
import { copyPolicy, writeCopy } from "./copy.ts";
import { mayWrite, writeErasureLetter } from "./erasure.ts";
import { renderSheet } from "./sheet.ts";
import { Texts } from "./texts.ts";

const answerPath = "/console/subjects/answer";
const copyPath = "/console/access/page";
const erasurePath = "/console/deletion/:id/letter";
const answering = rights["subject.answer"];

function showAsking(person: Person): Promise<Next> {
  const body = renderAsking(person);
  return Promise.resolve({ title: "Answer an inquiry", screen: "/console/find", body });
}

/** The answer about a known id, even if the record of the subject was erased. */
function renderAsking({ app, query }: Person): Html {
  const name = { value: query.get("name"), maxlength: limits.textCharactersMax } as const;
  const fields = html`${renderReason("Which inquiry it answers")}
  ${renderInput("Name asked for", "name", { ...name, autocomplete: "off" })}
  ${app.viewer.may("confidential.read") && renderTick("Include confidential reports", "confidential")}`;
  return html`<section aria-labelledby="answer">
    <h2 id="answer">Answer about an id</h2>
    <p>
      The answer is a letter to print. It says whether a business relationship exists or existed,
      when and of what nature, and what was erased. The name that the authority asked for is in the
      letter only.
    </p>
    ${renderForm(answerPath, new URLSearchParams(), { fields, button: "Answer" })}
  </section>`;
}

function renderAnswering({ key, reason, name }: FoundParty): Html {
  const label = html`Answer<span class="sr"> about ${key.resourceId}</span>`;
  return renderButton(label, answerPath, { fields: { ...keyFields(key), reason, name } });
}

async function showAnswer(person: Person, form: URLSearchParams): Promise<Next> {
  const answer = await answerSubject(person.app, {
    ...readRecordKey(form),
    reason: readText(form, "reason") ?? "",
    confidential: form.get("confidential") === "on",
    searchedMax,
  });
  const texts = openedOf(person, Texts);
  const body = html`<p class="note screen">
      That you made this answer is in the audit trail.
      <a href="${answerPath}">Answer another inquiry</a>
    </p>
    ${renderSheet(texts, writeAnswer(answer, texts, readText(form, "name")))}`;
  return { title: "Answer to an inquiry", screen: "/console/find", body };
}

async function sendCopy(person: Person, form: URLSearchParams): Promise<undefined> {
  const request = requestOf(form);
  await auditSubject(person.app, "subject.export", request);
  const pages = await writeCopy(person.app, request, { texts: openedOf(person, Texts) });
  const open = () => Readable.from(pages);
  if (form.has("download")) return sendFile(person, "access-request.html", open);
  const type = { "content-type": "text/html; charset=utf-8" };
  return sendStream(
    person,
    { ...pageHeaders, ...type, "content-security-policy": `${copyPolicy}; frame-ancestors 'none'` },
    open,
  );
}

async function showErasure(person: Person): Promise<Next> {
  const { app, id } = person;
  const texts = openedOf(person, Texts);
  const body = renderSheet(texts, await writeErasureLetter(app, id, texts));
  const within = [[deletionPath(id), `Deletion ${id}`]] as const;
  return { title: "Letter about an erasure", screen: "/console/deletions", within, body };
}

export const routes = [
  read(answerPath, answering, showAsking),
  act(answerPath, answering, showAnswer, showAsking),
  act(copyPath, rights["subject.export"], sendCopy),
  read(erasurePath, "deletion.read", showErasure),
];

export const panels: Panels = {
  party: (person, found) =>
    person.app.viewer.may(answering) &&
    (found === undefined ? renderAsking(person) : renderAnswering(found)),
  copy: (key) =>
    html`<p class="note">
        The same for people, without earlier changes: a page to print, with transactions as a table.
      </p>
      <div class="filters">
        <form method="post" action="${copyPath}" target="_blank">
          ${renderKeyFields(key)}<button type="submit">Show the copy to print</button>
        </form>
        ${renderButton("Download the copy as a page", copyPath, { fields: { ...keyFields(key), download: "on" } })}
      </div>`,
  deletion: async (person, deletion) =>
    (await mayWrite(person.app, deletion)) &&
    html`<a class="button" href="${deletionPath(deletion.deletionRequestId)}/letter">Letter</a>`,
};
