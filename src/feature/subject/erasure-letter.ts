// The letter about a request for erasure: what was erased, what stays, under which duty and until when. It says what
// somebody without the right to know of confidential records may know, whoever makes it, and names no hold.

import { findOrganization } from "../../actions/access/find-organization.ts";
import type { App } from "../../actions/app.ts";
import { previewDeletion } from "../../actions/deletion/preview-deletion.ts";
import { visibleCounts } from "../../actions/deletion/read-deletion.ts";
import { hasPreview } from "../../actions/deletion/show-deletion.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { requireRight, showing, viewerOf } from "../../actions/operator/viewer.ts";
import { findDeletion } from "../../actions/record/find-named-record.ts";
import { dayMs } from "../../basics/duration.ts";
import { mayCount, type Reader } from "../../domain/confidentiality.ts";
import type { Deletion, ErasedCounts } from "../../domain/deletion/deletion.ts";
import { namingTypes } from "../../domain/deletion/party.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { RetentionRule } from "../../domain/retention/floor.ts";
import type { Letter, Part } from "./sheet.ts";
import { showText, type Texts } from "./texts.ts";

/** None is about what only readers of confidential records may know of, or what a rule of retention has requested. */
export async function mayWrite(app: App, deletion: Deletion): Promise<boolean> {
  if (deletion.requestedBy === "retention") return false;
  return viewerOf(showing(app, { includeConfidential: false })).knows(deletion);
}

/** `received`: the day on which the request came, if known. Throws OperatorError no_such_deletion and invalid. */
export async function writeErasureLetter(
  app: App,
  id: string,
  { texts, received }: { readonly texts: Texts; readonly received: number | undefined },
): Promise<Letter> {
  requireRight(app, "deletion.read");
  const shown = showing(app, { includeConfidential: false });
  const deletion = await findDeletion(shown, id);
  if (!(await mayWrite(app, deletion))) {
    const why = "There is no letter: a rule of retention requested this deletion, and no person.";
    throw new OperatorError("no_such_deletion", why);
  }
  // Where it was entered, it can have been the next day.
  if (received !== undefined && received > deletion.requestedAt + dayMs) {
    const why = "The day of the request must not be after the day on which it was entered.";
    throw new OperatorError("invalid", why, { context: { field: "received" } });
  }
  const { organizationId, resourceType, resourceId, requestedAt, status } = deletion;
  const { name } = await findOrganization(app, organizationId);
  const requested = texts.date(received ?? requestedAt);
  const [title, day] =
    received === undefined
      ? [texts.say("erasure.untitled"), texts.say("erasure.entered")]
      : [texts.say("erasure.title", { requested }), texts.say("erasure.received")];
  return {
    title,
    organizationName: name,
    at: app.now(),
    facts: [
      [texts.say("sheet.organization"), showText(name)],
      [texts.say("sheet.type"), texts.type(resourceType)],
      [texts.say("sheet.id"), showText(resourceId)],
      [day, requested],
      [texts.say("erasure.reference"), deletion.deletionRequestId],
    ],
    opening: texts.say(`erasure.${status}`, { completed: texts.date(deletion.completedAt ?? 0) }),
    parts: await describe(shown, deletion, texts),
    end: [texts.say("erasure.scope"), texts.say("erasure.remedy")],
  };
}

async function describe(app: App, deletion: Deletion, texts: Texts): Promise<readonly Part[]> {
  const { completedAt, organizationId } = deletion;
  if (hasPreview(deletion)) return describePending(app, deletion, texts);
  if (completedAt === undefined) return [];
  const reader = await viewerOf(app).reader(organizationId);
  const rules = await app.store.retention.listRules([organizationId]);
  const erased = Object.entries(visibleCounts(deletion, reader));
  return [
    {
      heading: texts.say("erasure.gone"),
      table: {
        columns: texts.sayAll("sheet.type", "sheet.records"),
        rows: erased.map(([type, count = 0]) => [texts.type(type), texts.number(count)]),
      },
    },
    {
      heading: texts.say("erasure.stays"),
      table: {
        columns: texts.sayAll(...stayColumns),
        rows: [
          ...listChanged(deletion.redactedByType, reader).map((changed) =>
            describeChanged(changed, rules, texts),
          ),
          texts.sayAll("erasure.proof", "erasure.proof_why", "erasure.no_end"),
          texts.sayAll("erasure.backups", "erasure.backups_why", "erasure.backups_until"),
        ],
      },
    },
  ];
}

const stayColumns = ["erasure.what", "erasure.why", "erasure.until"] as const;

/** Holds are left out: they may disclose an investigation. */
async function describePending(
  app: App,
  deletion: Deletion,
  texts: Texts,
): Promise<readonly Part[]> {
  const { floors, earliest } = await previewDeletion(app, deletion);
  const begin = { earliest: texts.date(earliest) };
  return [
    {
      lines: [
        floors.length > 0 && texts.say("erasure.kept"),
        earliest > app.now() && texts.say("erasure.earliest", begin),
      ],
      table: {
        columns: texts.sayAll(...stayColumns),
        rows: floors.map((floor) => [
          texts.type(floor.resourceType),
          describeDuty("erasure.duty", floor, texts),
          texts.date(floor.until),
        ]),
      },
    },
  ];
}

/** In the order of the types. */
function listChanged(counts: ErasedCounts, reader: Reader): readonly Changed[] {
  return recordTypes
    .filter((type) => mayCount(reader, type))
    .map(({ resourceType }) => [resourceType, counts[resourceType] ?? 0] as const)
    .filter(([, count]) => count > 0);
}

type Changed = readonly [type: string, count: number];

/**
 * A rule that keeps references, too, had ended for all of it before, so no duty is left. By any other rule of today,
 * each record has a day of its own: nothing connects them with the person any more, so the letter can't name the last.
 */
function describeChanged(
  [type, count]: Changed,
  rules: readonly RetentionRule[],
  texts: Texts,
): readonly string[] {
  const isNaming = namingTypes.some(({ resourceType }) => resourceType === type);
  const rule = rules.find(({ resourceType, redactable }) => resourceType === type && redactable);
  const why = texts.say(isNaming ? "erasure.pseudonym" : "erasure.reference_removed");
  const what = `${texts.type(type)}: ${texts.number(count)}`;
  if (rule === undefined) return [what, why, texts.say("erasure.no_end")];
  const duty = describeDuty("erasure.duty_left", rule, texts);
  return [what, `${why} ${duty}`, describeDuty("erasure.each", rule, texts)];
}

function describeDuty(
  key: "erasure.duty" | "erasure.duty_left" | "erasure.each",
  { keepDays, countedFrom }: Pick<RetentionRule, "keepDays" | "countedFrom">,
  texts: Texts,
): string {
  const origin = texts.say(`erasure.from_${countedFrom}`);
  return texts.say(key, { days: texts.days(keepDays), origin });
}
